import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres, superuserUrlOf } from '#src/embedded-postgres.ts';
import { migrate } from '#src/migrate.ts';
import { removeWithServers } from '#src/server-directory.ts';
import { databaseUrl, dropDatabase, dropRunDatabases, runOnServer } from '#src/test-server.ts';

let directory: string;
let server: EmbeddedPostgres;
/** The same server as its superuser. */
let superuserUrl: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'bailiff-drop-'));
  server = await startEmbeddedPostgres({ directory, tests: true });
  const connection = JSON.parse(await readFile(join(directory, 'connection.json'), 'utf8'));
  superuserUrl = superuserUrlOf(connection);
});

afterAll(async () => {
  await server.stop();
  await removeWithServers(directory);
});

async function namesLike(prefix: string): Promise<unknown[]> {
  const rows = await runOnServer(
    server.url,
    `SELECT datname FROM pg_database WHERE starts_with(datname, '${prefix}') ORDER BY 1`,
  );
  return rows.map(({ datname }) => datname);
}

test('a database that autovacuum is working on is dropped', async () => {
  await runOnServer(superuserUrl, `ALTER SYSTEM SET autovacuum_naptime = '1s'`);
  await runOnServer(superuserUrl, 'SELECT pg_reload_conf()');
  await runOnServer(server.url, 'CREATE DATABASE vacuumed');
  const url = databaseUrl(server.url, 'vacuumed');
  // So slow that the worker is sure to be there: a rest of 100 ms after every page.
  await runOnServer(
    url,
    `CREATE TABLE worn (n int, filler text) WITH (autovacuum_vacuum_threshold = 0,
       autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1);
     INSERT INTO worn SELECT n, repeat('x', 500) FROM generate_series(1, 20000) AS n;
     DELETE FROM worn;`,
  );
  await expect
    .poll(() =>
      runOnServer(
        superuserUrl,
        `SELECT FROM pg_stat_activity WHERE datname = 'vacuumed' AND backend_type = 'autovacuum worker'`,
      ),
    )
    .toHaveLength(1);
  expect(await dropDatabase(server.url, 'vacuumed')).toBe(true);
  expect(await namesLike('vacuumed')).toEqual([]);
});

test('a session that our own role left open is ended', async () => {
  await runOnServer(server.url, 'CREATE DATABASE forgotten');
  const session = new pg.Client(databaseUrl(server.url, 'forgotten'));
  session.on('error', () => {});
  await session.connect();
  expect(await dropDatabase(server.url, 'forgotten')).toBe(true);
});

test('a database in which a superuser is at work stays until the end of the run, and fails nothing', async () => {
  await runOnServer(server.url, 'CREATE DATABASE run1');
  await runOnServer(server.url, 'CREATE DATABASE run1_clone');
  const session = new pg.Client(databaseUrl(superuserUrl, 'run1_clone'));
  await session.connect();

  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  await dropRunDatabases(server.url, 'run1');
  expect(stderr.mock.calls.flat().join('')).toContain('The test database run1_clone is in use and stays.');
  stderr.mockRestore();
  expect(await namesLike('run1')).toEqual(['run1_clone']);

  await session.end();
  await dropRunDatabases(server.url, 'run1');
  expect(await namesLike('run1')).toEqual([]);
});

// A server before PostgreSQL 15 lets everybody make tables in the schema public, and so does one that was upgraded.
test('a schema in which everybody may make tables is closed, or named if its owner must do that', async () => {
  const logins = { bot: 'wall_bot', web: 'wall_web' };
  await runOnServer(superuserUrl, 'CREATE ROLE wall_bot LOGIN; CREATE ROLE wall_web LOGIN');
  await runOnServer(server.url, 'CREATE DATABASE open_to_all');
  const url = databaseUrl(server.url, 'open_to_all');
  const asSuperuser = databaseUrl(superuserUrl, 'open_to_all');
  const mayMake = async () =>
    (await runOnServer(url, "SELECT has_schema_privilege('wall_web', 'public', 'CREATE') AS may"))[0]?.may;

  await runOnServer(url, 'GRANT CREATE ON SCHEMA public TO PUBLIC');
  await migrate(url, { logins });
  expect(await mayMake()).toBe(false);

  await runOnServer(
    asSuperuser,
    'ALTER SCHEMA public OWNER TO postgres; GRANT USAGE, CREATE ON SCHEMA public TO PUBLIC',
  );
  await expect(migrate(url, { logins })).rejects.toThrow(
    'Every login may make tables in the schema public of this database. As its superuser run ' +
      '"ALTER SCHEMA public OWNER TO bailiff", then start again.',
  );
});
