import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';

const SERVER = fileURLToPath(new URL('../src/server.ts', import.meta.url));

let database: TestDatabase;
let server: ChildProcess | undefined;

beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  server?.kill('SIGKILL');
  await database.drop();
});

const WAITS = /^this process answers once the database fits this release;.* npm run migrate/;
const FIRST_MISSING = '; first missing: ';
const FITS = 'the database fits this release';
const IS_UP = 'the web process is up';

/** Starts a web process as Kubernetes and systemd do. Returns what its log says of waiting and listening, in turn. */
function startServer(): AsyncIterator<string> {
  server = spawn(process.execPath, [SERVER], {
    env: {
      NODE_ENV: 'production',
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      DATABASE_URL: database.processUrls.web,
      PORT: '0',
      PUBLIC_URL: 'http://127.0.0.1:1',
      DISCORD_CLIENT_ID: '100000000000000000',
      DISCORD_CLIENT_SECRET: 'test',
      NEXTAUTH_SECRET: 'test'.repeat(8),
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return messagesOf(server);
}

async function* messagesOf({ stdout }: ChildProcess): AsyncGenerator<string> {
  if (stdout === null) throw new Error('The process has no output.');
  for await (const line of createInterface({ input: stdout })) {
    const { msg, first_missing } = JSON.parse(line);
    if (first_missing !== undefined) yield `${msg}${FIRST_MISSING}${first_missing}`;
    else if (WAITS.test(msg) || msg === FITS || msg === IS_UP) yield msg;
  }
}

test('a web process that no bot starts does not listen before the database is migrated', async () => {
  const { pool } = database.database;
  const { rows } = await pool.query(
    `DELETE FROM _prisma_migrations WHERE migration_name = (SELECT max(migration_name) FROM _prisma_migrations)
     RETURNING *`,
  );
  const messages = startServer();
  expect((await messages.next()).value).toMatch(WAITS);
  await pool.query(
    'INSERT INTO _prisma_migrations SELECT * FROM json_populate_record(null::_prisma_migrations, $1)',
    [rows[0]],
  );
  expect((await messages.next()).value).toBe(FITS);
});

test('one that comes before a function has changed waits for it', async () => {
  const { pool } = database.database;
  const { rows } = await pool.query(
    `UPDATE _bailiff_sql file SET checksum = 'of the release before' FROM _bailiff_sql known
     WHERE file.name = 'functions/admit_call' AND known.name = file.name RETURNING known.checksum`,
  );
  const messages = startServer();
  expect((await messages.next()).value).toMatch(WAITS);
  await pool.query("UPDATE _bailiff_sql SET checksum = $1 WHERE name = 'functions/admit_call'", [
    rows[0].checksum,
  ]);
  expect((await messages.next()).value).toBe(FITS);
});

test('one that comes before the rights of its login waits for them', async () => {
  const { pool } = database.database;
  await pool.query('REVOKE SELECT ON _prisma_migrations FROM bailiff_web');
  const messages = startServer();
  expect((await messages.next()).value).toMatch(WAITS);
  await pool.query('GRANT SELECT ON _prisma_migrations TO bailiff_web');
  expect((await messages.next()).value).toBe(FITS);
});

test('one of the release before, on a database that a later one has migrated, waits for nothing', async () => {
  const { pool } = database.database;
  await pool.query(
    `UPDATE _bailiff_sql SET release = '999.0.0', checksum = 'of that release'; DELETE FROM _bailiff_sql WHERE name = 'functions/new_id';
     INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('x', 'x', '9_later', now())`,
  );
  const messages = startServer();
  // It may have to wait for the database of a busy machine. Without a build it cannot listen, and ends.
  expect(String((await messages.next()).value)).not.toContain(FIRST_MISSING);
});
