import { randomBytes } from 'node:crypto';
import { confirmSession } from '@bailiff/engine/desk/sign-ins';
import { keyringOf } from '@bailiff/engine/servers/sealing';
import { publishSealingKey } from '@bailiff/engine/servers/sealing-keys';
import { giveTime, seedSession } from '@bailiff/engine/testing';
import { createTestDatabase, listenAtLast, type TestDatabase } from '@bailiff/prisma/testing';
import { expect } from 'vitest';
import { createAppServer, listenWhenFree } from '#src/app-server.ts';
import { readConfig, type WebConfig } from '#src/config.ts';
import type { Runtime } from '#src/runtime.ts';
import { sessionCookieName } from '#src/session.ts';
import { startRuntime } from '#src/start-runtime.ts';

export const ORIGIN = 'http://bailiff.test';

export interface TestWeb {
  readonly runtime: Runtime;
  readonly db: TestDatabase['database'];
  readonly databaseUrl: string;
  close(): Promise<void>;
}

/** Another web process on the same database, without a port. */
export function startAnotherRuntime({ databaseUrl }: TestWeb): Promise<Runtime> {
  return startRuntime(testConfig({ DATABASE_URL: databaseUrl }));
}

/** An address of a database that has as long for each statement as tests give it, not as callers wait. */
function unhurried(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  for (const limit of ['statement_timeout', 'query_timeout']) url.searchParams.set(limit, '120000');
  return url.href;
}

/**
 * The whole web process except its port, on its own database. It waits for that as long as a busy machine needs.
 *
 * @param through gives the address by which the process reaches the database
 */
export async function startTestWeb(
  env: Record<string, string> = {},
  through = async (databaseUrl: string) => databaseUrl,
): Promise<TestWeb> {
  const { database, processUrls, drop } = await createTestDatabase();
  const databaseUrl = unhurried(processUrls.web);
  const takeTimeBack = giveTime('database');
  const runtime = await startRuntime(testConfig({ DATABASE_URL: await through(databaseUrl), ...env }));
  return {
    runtime,
    db: database,
    databaseUrl,
    close: async () => {
      takeTimeBack();
      await runtime.close();
      await drop();
    },
  };
}

export function testConfig(env: Record<string, string>): WebConfig {
  return readConfig({
    PUBLIC_URL: ORIGIN,
    DISCORD_CLIENT_ID: '100000000000000001',
    DISCORD_CLIENT_SECRET: 'secret',
    NEXTAUTH_SECRET: 'a secret that is long enough for a test',
    LOG_LEVEL: 'silent',
    ...env,
  });
}

export interface TestServer {
  readonly port: number;
  readonly base: string;
  close(): void;
}

/** The web process's HTTP server on a free port. `page` stands for each page of Next.js. */
export async function serve({ runtime }: TestWeb, page = ''): Promise<TestServer> {
  const server = createAppServer(runtime, async (_message, response) => void response.end(page));
  const port = await listenWhenFree(server, { host: '127.0.0.1', port: 0, patienceMs: 0 });
  return {
    port,
    base: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/**
 * Uses up the windows of requests with this key, such as `public:192.0.2.7`.
 *
 * @param used as if so many requests came just now. Default: more than any window has.
 */
export async function exhaust(
  { pool }: Pick<TestWeb['db'], 'pool'>,
  key: string,
  used = 100_000,
): Promise<void> {
  await pool.query(
    `INSERT INTO rate_limits (key, expire, slot_ends, slot_points)
     SELECT $1, moment + 60000, ARRAY[moment], ARRAY[$2::int]
     FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint) AS clock (moment)
     ON CONFLICT (key) DO UPDATE SET slot_ends = excluded.slot_ends, slot_points = excluded.slot_points`,
    [key, used],
  );
}

/** Lets time pass for every window of requests. */
export async function passTime({ pool }: Pick<TestWeb['db'], 'pool'>, seconds: number): Promise<void> {
  await pool.query(
    `UPDATE rate_limits SET expire = expire - $1::int * 1000,
       slot_ends = ARRAY(SELECT slot_end - $1::int * 1000 FROM unnest(slot_ends) WITH ORDINALITY AS s (slot_end, n)
                         ORDER BY n)`,
    [seconds],
  );
}

/** For how many seconds the newest window of requests whose key is like that keeps its last one. */
export async function windowSeconds({ db }: Pick<TestWeb, 'db'>, key: string): Promise<number> {
  const { rows } = await db.pool.query<{ seconds: string }>(
    `SELECT (expire - slot_ends[cardinality(slot_ends)]) / 1000.0 AS seconds
     FROM rate_limits WHERE key LIKE $1 ORDER BY expire DESC LIMIT 1`,
    [key],
  );
  return Number(rows[0]?.seconds);
}

/** Ends the statement that waits for a lock, as its timeout would end it. */
export async function endWaiting({ pool }: Pick<TestWeb['db'], 'pool'>): Promise<void> {
  const ended = `SELECT count(pg_cancel_backend(pid))::int AS ended FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  await expect.poll(async () => (await pool.query(ended)).rows).toEqual([{ ended: 1 }]);
}

/** Hears from Discord whose each new session is, as the bot does. @returns a function that ends it */
export async function confirmSignIns(
  { db }: Pick<TestWeb, 'db'>,
  discordApiUrl: string,
): Promise<() => Promise<void>> {
  const keyring = keyringOf(randomBytes(32));
  await publishSealingKey(db, keyring);
  const listener = await listenAtLast(db.url, ['jobs:insert'], async () => {
    const { rows } = await db.pool.query<{ key: string }>(
      "SELECT encode(token_hash, 'hex') AS key FROM sessions WHERE access_token_sealed IS NOT NULL",
    );
    for (const { key } of rows) {
      await confirmSession(db, keyring, key, async (accessToken) => {
        const headers = { Authorization: `Bearer ${accessToken}` };
        const answer = await fetch(`${discordApiUrl}/v10/oauth2/@me`, { headers });
        return answer.ok ? ((await answer.json()) as { user: { id: string } }).user.id : null;
      });
    }
  });
  return () => listener.close();
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

export interface Person {
  readonly cookie: string;
  /** A request from one of our pages to the dashboard's API: with the session, and for changes with the Origin. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

/** A person who is signed in. */
export async function signedIn({ runtime, db }: TestWeb, userId: string): Promise<Person> {
  const value = randomBytes(32).toString('base64url');
  await seedSession(db, userId, value);
  const cookie = `${sessionCookieName(ORIGIN)}=${value}`;
  return {
    cookie,
    call: (method, path, body, headers = {}) =>
      call(runtime, method, path, body, {
        Cookie: cookie,
        ...(method === 'GET' ? {} : { Origin: ORIGIN }),
        ...headers,
      }),
  };
}

/** Any request to the dashboard's API. */
export async function call(
  runtime: Runtime,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await runtime.dashboardApi(
    new Request(`${ORIGIN}${path}`, {
      method,
      headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    }),
    { address: '203.0.113.9' },
  );
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** A request of an OAuth client, as a form unless `body` has another content type. */
export async function askAsClient(
  { runtime }: TestWeb,
  address: string,
  path: string,
  body: Record<string, string> | string,
  type = 'application/x-www-form-urlencoded',
): Promise<Answer> {
  const response = await runtime.deviceApi(
    new Request(`${ORIGIN}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': type },
      body: typeof body === 'string' ? body : new URLSearchParams(body).toString(),
    }),
    { address },
  );
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** A call of the public API with a token. */
export async function callWithToken(
  runtime: Runtime,
  secret: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await runtime.publicApi(
    new Request(`${ORIGIN}/api/public/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
    { address: '203.0.113.9' },
  );
  return { status: response.status, headers: response.headers, body: await response.json() };
}
