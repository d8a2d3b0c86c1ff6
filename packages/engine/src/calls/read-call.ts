import {
  type ApiError,
  digestOf,
  entryOf,
  type InputOf,
  type OperationName,
  type OutputOf,
  TIERS,
} from '@bailiff/core';
import { only } from '#src/cases/cases.ts';
import { sendTogether } from '#src/database/send-together.ts';
import type { Engine } from '#src/engine.ts';
import type { Viewer } from '#src/guilds/guilds.ts';
import type { AdmittedToken, Balances } from './admission.ts';
import { authorizePerson, capabilityDenied, capabilityOf } from './authorize.ts';
import { type PersonRead, type Read, type ReadOperation, readers } from './readers.ts';
import { budgetUsedUp, type Queryable } from './submit.ts';

export interface ReadCall {
  readonly operation: ReadOperation;
  readonly token: AdmittedToken;
  readonly input: object;
  readonly requestId: string;
  readonly address: string;
}

/** Whether an operation only looks, and so is charged and recorded by one statement. */
export function isRead(operation: OperationName): operation is ReadOperation {
  return Object.hasOwn(readers, operation);
}

interface Charged {
  refused_by: 'token' | 'user' | null;
  retry_after_seconds: number | null;
  token_balance: number;
  user_balance: number;
  /** Null in the one row of a read that found nothing. */
  found: true | null;
}

const CHARGES = 13;

/** The places of the charge's arguments, behind those of the read. */
function places(behind: number): string {
  return Array.from({ length: CHARGES }, (_, n) => `$${behind + n + 1}`).join(', ');
}

/** The arguments of the SQL function `charge_read`. */
function chargeOf({ operation, token, input, requestId, address }: ReadCall): unknown[] {
  const target = entryOf(operation).target(input as never);
  return [
    token.guild.id,
    token.id,
    token.name,
    token.issuerId,
    TIERS.read.capacity,
    TIERS.read.refillPerMinute,
    !token.usedLately,
    operation,
    target?.type ?? null,
    target?.id ?? null,
    requestId,
    address,
    digestOf(operation, token.guild.id, input as never),
  ];
}

/** Charges a read without answering it: what the budgets say, for a transaction that is rolled back. */
export async function chargeRefusal(tx: Queryable, call: ReadCall): Promise<ApiError | null> {
  const { rows } = await tx.query<Charged>({
    name: 'charge_read',
    text: `SELECT * FROM charge_read(${places(0)})`,
    values: chargeOf(call),
  });
  const { refused_by, retry_after_seconds } = only(rows);
  return refused_by === null ? null : budgetUsedUp(refused_by, 'read', retry_after_seconds ?? 1);
}

/** The charge, and behind it the read, which finds nothing when the charge was refused. */
function chargedText(read: Read<never, object>): string {
  return `WITH charged AS MATERIALIZED (SELECT * FROM charge_read(${places(read.values.length)}))
    SELECT * FROM charged
    LEFT JOIN LATERAL (SELECT * FROM (${read.text}) AS read WHERE charged.refused_by IS NULL) AS read ON true`;
}

/**
 * Charges a read to both budgets, records it, and answers it: one statement.
 *
 * @throws ApiError RATE_LIMITED, which costs nothing; NOT_FOUND or VALIDATION_FAILED of the read itself.
 */
export async function performRead(
  { db }: Engine,
  call: ReadCall,
  onBalances: (balances: Balances) => void,
): Promise<object> {
  const { token, operation } = call;
  const reader = { ...token, userId: token.issuerId };
  const read = readers[operation](token.guild.id, call.input as never, reader);
  const { rows } = await sendTogether<Charged>(db, {
    name: read.name,
    text: chargedText(read),
    values: [...read.values, ...chargeOf(call)],
  });
  const charged = only(rows.slice(0, 1));
  const balances = { token: charged.token_balance, user: charged.user_balance };
  onBalances(balances);
  if (charged.refused_by !== null) {
    throw budgetUsedUp(charged.refused_by, 'read', charged.retry_after_seconds ?? 1);
  }
  return read.answer(charged.found === null ? [] : (rows.map(ownRow) as never[]), balances);
}

/**
 * Answers and records a read by a person in chat, of what they may read now. It costs no budget.
 *
 * @throws ApiError UPSTREAM_UNAVAILABLE, CAPABILITY_DENIED; NOT_FOUND or VALIDATION_FAILED of the read itself.
 */
export async function readForPerson<N extends PersonRead>(
  engine: Engine,
  call: {
    readonly operation: N;
    readonly guildId: string;
    readonly input: InputOf<N>;
    readonly userId: string;
    readonly requestId: string;
  },
): Promise<OutputOf<N>> {
  const { operation, guildId, input, userId, requestId } = call;
  const capabilities = await authorizePerson(engine, { operation, guildId, userId });
  const target = entryOf(operation).target(input as never);
  const read = readers[operation](guildId, input as never, { userId, capabilities } as never);
  const count = read.values.length; // The first one is the guild, of every read.
  const { rows } = await engine.db.pool.query({
    name: `person+${read.name}`,
    text: `WITH kept AS (INSERT INTO audit (is_read, guild_id, actor_source, actor_user_id, operation, target_type,
             target_id, outcome, request_id, digest)
           VALUES (true, $1, 'chat', $${count + 1}, $${count + 2}, $${count + 3}, $${count + 4}, 'performed',
             $${count + 5}, $${count + 6}))
           ${read.text}`,
    values: [
      ...read.values,
      userId,
      operation,
      target?.type ?? null,
      target?.id ?? null,
      requestId,
      digestOf(operation, guildId, input as never),
    ],
  });
  const own = rows.map(({ found: _, ...row }) => row) as never[];
  // What a token has left after the read is no part of any answer to a person.
  return read.answer(own, NOTHING_CHARGED) as OutputOf<N>;
}

/**
 * Answers a read for a page of the dashboard. A page looks again whenever something changes, so it leaves no row in the
 * audit log (decisions: Audit).
 *
 * @throws ApiError CAPABILITY_DENIED; NOT_FOUND or VALIDATION_FAILED of the read itself.
 */
export async function readForPage<N extends PersonRead>(
  { pool }: Engine['db'],
  viewer: Viewer & { readonly userId: string },
  operation: N,
  input: InputOf<N>,
): Promise<OutputOf<N>> {
  const needed = capabilityOf(operation);
  if (needed !== null && !viewer.capabilities.includes(needed)) {
    throw capabilityDenied(needed, 'You may not see this');
  }
  const read = readers[operation](viewer.id, input as never, viewer as never);
  const { rows } = await pool.query({
    name: `page+${read.name}`,
    text: read.text,
    values: [...read.values],
  });
  const own = rows.map(({ found: _, ...row }) => row) as never[];
  return read.answer(own, NOTHING_CHARGED) as OutputOf<N>;
}

const NOTHING_CHARGED: Balances = { token: 0, user: 0 };

/** A row of the read, without the columns of its charge: lists hand their rows on as they are. */
function ownRow(row: Charged): object {
  const {
    refused_by: _,
    retry_after_seconds: _wait,
    token_balance: _token,
    user_balance: _user,
    found: _found,
    ...own
  } = row;
  return own;
}
