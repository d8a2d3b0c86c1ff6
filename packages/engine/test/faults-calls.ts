import { randomBytes } from 'node:crypto';
import { ApiError, expectedSentinel, type RestOperation, readBody } from '@bailiff/core';
import type { Database } from '@bailiff/prisma';
import type { PoolClient } from 'pg';
import { type Authorized, authorize } from '#src/calls/authorize.ts';
import { isWrite } from '#src/calls/store-performers.ts';
import { type Answer, performWrite } from '#src/calls/write-call.ts';
import { patience } from '#src/database/database-errors.ts';
import { createWaiters, type Waiters } from '#src/database/waiters.ts';
import type { Engine } from '#src/engine.ts';
import type { SeededGuild } from '#src/testing.ts';

const ADDRESS = '198.51.100.4';
/** Longer than a busy machine takes. */
const LONG_MS = 60_000;

export interface TokenWrite {
  readonly operation: RestOperation;
  readonly params?: Record<string, string>;
  readonly body?: object;
  readonly idempotencyKey?: string;
}

/** A call that has passed the guard and is not submitted yet. */
export interface GuardedCall {
  readonly authorized: Authorized;
  readonly requestId: string;
  submit(): Promise<Answer>;
}

export function engineOn(db: Database, waiters: Waiters = createWaiters()): Engine {
  return { db, waiters, dashboardUrl: 'http://dashboard.test' };
}

/** A call with its right sentinel, as far as the guard lets it. Throws what the guard refuses with. */
export async function guard(
  engine: Engine,
  guild: SeededGuild,
  secret: string,
  { operation, params = {}, body = {}, idempotencyKey }: TokenWrite,
): Promise<GuardedCall> {
  const requestId = `req_${randomBytes(16).toString('hex')}`;
  const parsed = readBody(operation, params, body);
  if (!parsed.ok) throw new Error(`The input of ${operation} is wrong: ${JSON.stringify(parsed.issues)}`);
  const _confirmation = expectedSentinel(operation, guild.id, parsed.input).concrete;
  const authorized = await authorize(
    engine,
    {
      operation,
      params,
      guildId: guild.id,
      authorization: `Bearer ${secret}`,
      address: ADDRESS,
      requestId,
      readInput: async () => readBody(operation, params, { ...body, _confirmation }),
    },
    () => {},
    patience(LONG_MS),
  );
  const { token, call, confirmation } = authorized;
  if (!isWrite(call)) throw new Error(`${operation} changes nothing`);
  const actor = { source: 'token', token } as const;
  const sent = { ...call, guildId: guild.id, confirmation, requestId, address: ADDRESS };
  const submit = () => performWrite(engine, { ...sent, actor, idempotencyKey }, undefined, patience(LONG_MS));
  return { authorized, requestId, submit };
}

/** A strike of the seeded member. */
export function strike(guild: SeededGuild, idempotencyKey?: string): TokenWrite {
  const body = { user_id: guild.memberId, reason: 'spam', severity: 'minor' };
  return { operation: 'strikes.add', body, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) };
}

/** The error that refused a call. Throws if the call succeeded. */
export async function refusalOf(call: Promise<unknown>): Promise<ApiError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('The call succeeded where a refusal was expected.');
}

export async function count(db: Database, sql: string, values: unknown[] = []): Promise<number> {
  const { rows } = await db.pool.query<{ count: string }>(`SELECT count(*) FROM ${sql}`, values);
  return Number(rows[0]?.count);
}

/** A session that holds a lock until it is released or the test ends, and may change rows under it. */
export async function holdLock(db: Database, sql: string, values: unknown[] = []): Promise<HeldLock> {
  const session = await db.pool.connect();
  await session.query('BEGIN');
  await session.query(sql, values);
  return {
    session,
    release: async () => {
      await session.query('COMMIT');
      session.release();
    },
  };
}

export interface HeldLock {
  readonly session: PoolClient;
  release(): Promise<void>;
}

const WAIT_MS = 120_000;

/** Settles when the count is at least that. */
export async function untilCount(db: Database, sql: string, least: number): Promise<void> {
  const deadline = performance.now() + WAIT_MS;
  for (;;) {
    const found = await count(db, sql);
    if (found >= least) return;
    if (performance.now() > deadline) {
      throw new Error(`There are ${found} of ${sql}, and not ${least}, after ${WAIT_MS} ms.`);
    }
  }
}

/** Settles when this number of the database's sessions waits for a lock. */
export function untilWaiting(db: Database, sessions: number): Promise<void> {
  const waiting = "pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  return untilCount(db, waiting, sessions);
}
