import { expectedSentinel, type OperationName } from '@bailiff/core';
import { createWaiters } from '@bailiff/engine/database/waiters';
import type { Engine } from '@bailiff/engine/engine';
import { tellMember } from '@bailiff/engine/guilds/ask-member';
import {
  type FakePerformer,
  giveTime,
  performersOf,
  type SeededGuild,
  type SeededToken,
  seedGuild,
  seedToken,
} from '@bailiff/engine/testing';
import { type Performers, performAction } from '@bailiff/engine/worker/perform-action';
import { type Database, openDatabase } from '@bailiff/prisma';
import { createTestDatabase, LONG_LIMITS, listenAtLast } from '@bailiff/prisma/testing';
import type { RequestLog } from '#src/http/kernel.ts';
import { createPublicApi } from '#src/public-api/handler.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any field of any answer
  readonly body: any;
}

export interface Call {
  readonly method?: string;
  readonly token?: SeededToken | string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly address?: string;
  /** Fires when the client leaves. */
  readonly signal?: AbortSignal;
}

/** A performer that does nothing and reports success, for tests of the steps around it. */
export const NOTHING: FakePerformer = {
  perform: async () => ({ state: 'done', write: async () => ({}) as never }),
  verify: async () => ({ state: 'done', write: async () => ({}) as never }),
};

/** Performers that do nothing, for every operation of the bot. */
export const ALL_NOTHING = performersOf(NOTHING);

interface HarnessOptions {
  /** Performs the bot's actions, as its worker does. Without it there is no bot. */
  readonly performers?: Performers;
  /** Another database connection for the API alone. */
  readonly through?: (url: string) => Promise<string>;
  /** Gets the errors of failed requests, which otherwise go to stderr. */
  readonly onError?: RequestLog['error'];
}

function writeError(fields: object): void {
  const text = JSON.stringify(fields, (_key, value) => (value instanceof Error ? value.stack : value));
  process.stderr.write(`${text}\n`);
}

/** Says of everybody somebody asked about that they are not a member, as the bot does where Discord knows nobody. */
async function answerWhoIsMember({ pool }: Database): Promise<void> {
  const { rows } = await pool.query<{ payload: { request_id: string } }>(
    `DELETE FROM graphile_worker._private_jobs WHERE task_id =
       (SELECT id FROM graphile_worker._private_tasks WHERE identifier = 'ask_member') RETURNING payload`,
  );
  await Promise.all(rows.map(({ payload }) => tellMember(pool, payload.request_id, null)));
}

/** Where the database notifies the bot of actions that wait, and of jobs. */
const WORK = ['bailiff_actions', 'jobs:insert'];

/** A worker without turns: at each notification of new work it performs the waiting actions. */
function createWorker(db: Database, performers: Performers) {
  const running = new Set<Promise<void>>();
  const log: RequestLog = { info: () => {}, error: writeError };
  const takeUp = async () => {
    const { rows } = await db.pool.query<{ id: string }>("SELECT id FROM actions WHERE state = 'pending'");
    await Promise.all([
      ...rows.map(({ id }) => performAction(db, performers, id, log)),
      answerWhoIsMember(db),
    ]);
  };
  return {
    wake() {
      const work = takeUp().finally(() => running.delete(work));
      running.add(work);
    },
    finish: () => Promise.all(running),
  };
}

/**
 * The public API on its own database, called without a port, with one seeded guild and token. It waits for the database
 * and for the performers as long as a busy machine needs.
 */
export async function startPublicApi({ performers, through, onError = writeError }: HarnessOptions = {}) {
  const { database, url, processUrls, drop } = await createTestDatabase();
  const waiters = createWaiters();
  const worker = performers === undefined ? null : createWorker(database, performers);
  const listener = await listenAtLast(url, ['bailiff', ...WORK], (channel, payload) => {
    if (WORK.includes(channel)) {
      worker?.wake();
      return;
    }
    const notice = JSON.parse(payload);
    if ('request_id' in notice) waiters.notify(notice);
  });
  const address = through === undefined ? processUrls.web : await through(processUrls.web);
  const own = openDatabase(address, { ...LONG_LIMITS, applicationName: 'api' });
  const times = [giveTime('database'), ...(worker === null ? [] : [giveTime('bot')])];
  const engine: Engine = { db: own, waiters, dashboardUrl: 'http://dashboard.test' };
  const stopping = new AbortController();
  const api = createPublicApi(engine, { info: () => {}, error: onError }, stopping.signal);
  const guild = await seedGuild(database);
  const token = await seedToken(database, guild);

  async function call(path: string, given: Call = {}): Promise<Answer> {
    const headers = new Headers(given.headers);
    const bearer = given.token ?? token;
    const secret = typeof bearer === 'string' ? bearer : bearer.secret;
    if (secret !== '' && !headers.has('Authorization')) headers.set('Authorization', `Bearer ${secret}`);
    const init: RequestInit & { duplex?: 'half' } = { method: given.method ?? 'GET', headers };
    if (given.signal !== undefined) init.signal = given.signal;
    if (given.body !== undefined) {
      init.body = typeof given.body === 'string' ? given.body : JSON.stringify(given.body);
      if (!headers.has('Content-Type')) headers.set('Content-Type', 'application/json');
    }
    const request = new Request(`http://api.test/api/public/v1${path}`, init);
    const response = await api(request, { address: given.address ?? '192.0.2.1' });
    return { status: response.status, headers: response.headers, body: await response.json() };
  }

  return {
    engine,
    database,
    guild,
    token,
    call,
    /** Stops the process, as far as its waiting callers are concerned. */
    stop: () => stopping.abort(),
    /** A path below the path of the guild. */
    inGuild: (path: string, given?: Call) => call(`/guilds/${guild.id}${path}`, given),
    audit: async (operation?: string) => {
      const { rows } = await database.pool.query(
        'SELECT * FROM audit WHERE guild_id = $1 AND ($2::text IS NULL OR operation = $2) ORDER BY id',
        [guild.id, operation ?? null],
      );
      return rows;
    },
    close: async () => {
      for (const takeBack of times) takeBack();
      await listener.close();
      await worker?.finish();
      await own.close();
      await drop();
    },
  };
}

export type PublicApiHarness = Awaited<ReturnType<typeof startPublicApi>>;

/** The sentinel of a call, as a careful client writes it. */
export function sentinel(name: OperationName, guild: SeededGuild, input: object): string {
  return expectedSentinel(name, guild.id, input as never).concrete;
}

/** The owner of the seeded guild, acting on the dashboard. */
export function asOwner(guild: SeededGuild) {
  return { userId: guild.ownerId, requestId: 'req_dashboard', address: '192.0.2.9' };
}
