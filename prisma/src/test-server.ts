import pg from 'pg';
import type { ProcessUrls } from './privileges.ts';

/** What tests need to make databases, or why they cannot; tests without a database run all the same. */
export type TestServer =
  | {
      url: string;
      processUrls: ProcessUrls;
      /** A database with today's tables. */
      template: string;
      /** Another in which a bot has already made the partitions of the coming days. */
      usedTemplate: string;
    }
  | { problem: string };

declare module 'vitest' {
  interface ProvidedContext {
    testServer: TestServer;
  }
}

const OBJECT_IN_USE = '55006';
/** This only ends what hangs. */
const CONNECT_TIMEOUT_MS = 120_000;

/** The same server and role, another database. */
export function databaseUrl(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}

/** The rows of the last statement of `sql`. */
export async function runOnServer(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  await client.connect();
  try {
    const results = [await client.query<Record<string, unknown>>(sql)].flat();
    return results.at(-1)?.rows ?? [];
  } finally {
    await client.end();
  }
}

const POOLS = new Map<string, pg.Pool>();

/** As {@link runOnServer}, with connections that are kept: a new one costs more than most statements. */
export async function runOftenOnServer(url: string, sql: string): Promise<void> {
  let pool = POOLS.get(url);
  if (pool === undefined) {
    // Several databases may be made at once. Nobody need close this: it neither keeps a process running nor a server.
    pool = new pg.Pool({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      max: 4,
      idleTimeoutMillis: 2_000,
      allowExitOnIdle: true,
    });
    pool.on('error', () => {});
    POOLS.set(url, pool);
  }
  await pool.query(sql);
}

/**
 * Drops a database once its sessions have ended. Sessions of our own role that are still there after two seconds are
 * ended.
 *
 * Without FORCE: it would end autovacuum as well, which PostgreSQL allows to superusers only, and the statement would
 * fail. A plain DROP DATABASE ends autovacuum by itself and waits five seconds for everybody else.
 *
 * @returns false if a session of another role still uses the database, which then stays
 */
export async function dropDatabase(serverUrl: string, name: string): Promise<boolean> {
  const ourSessions = `FROM pg_stat_activity WHERE datname = '${name}' AND usename = current_user`;
  try {
    // Waits for sessions that are closing, because an error on one of them would have no listener and end the test run.
    await runOftenOnServer(
      serverUrl,
      `DO $$ BEGIN
         FOR turn IN 1..100 LOOP
           EXIT WHEN NOT EXISTS (SELECT ${ourSessions});
           PERFORM pg_sleep(0.02), pg_stat_clear_snapshot();
         END LOOP;
         PERFORM pg_terminate_backend(pid) ${ourSessions};
       END $$`,
    );
    await runOftenOnServer(serverUrl, `DROP DATABASE IF EXISTS ${name}`);
    return true;
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === OBJECT_IN_USE) return false;
    throw error;
  }
}

/**
 * Drops the template of a run and its remaining clones. The tests have ended by then, so a database that cannot be
 * dropped is reported on stderr and is not a failure.
 */
export async function dropRunDatabases(serverUrl: string, template: string): Promise<void> {
  try {
    const left = await runOnServer(
      serverUrl,
      `SELECT datname AS name FROM pg_database WHERE starts_with(datname, '${template}')`,
    );
    for (const { name } of left) {
      if (await dropDatabase(serverUrl, String(name))) continue;
      process.stderr.write(`The test database ${name} is in use and stays. Drop it when it is free.\n`);
    }
  } catch (error) {
    process.stderr.write(`Test databases named ${template}… were not dropped: ${String(error)}\n`);
  }
}
