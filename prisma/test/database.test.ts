import { verifies } from '@bailiff/core/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase, openQueuePool } from '#src/database.ts';
import { createTestDatabase, LONG_LIMITS, type TestDatabase } from '#src/testing.ts';

let testDatabase: TestDatabase;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
});

afterAll(() => testDatabase.drop());

test('hand-written queries and Prisma share one pool', async () => {
  const options = { ...LONG_LIMITS, applicationName: 'one pool', max: 1 };
  const { pool, prisma, close } = openDatabase(testDatabase.url, options);
  await pool.query('CREATE TABLE shared (id int)');
  await prisma.$executeRaw`INSERT INTO shared VALUES (1)`;
  expect((await pool.query('SELECT id FROM shared')).rows).toEqual([{ id: 1 }]);
  expect(pool.totalCount).toBe(1);
  await close();
});

test('a database may be closed twice', async () => {
  const { close } = openDatabase(testDatabase.url, { ...LONG_LIMITS, applicationName: 'closed twice' });
  await close();
  await close();
});

test('a bigint is a string and a timestamptz a Date', async () => {
  const { rows } = await testDatabase.database.pool.query(
    `SELECT 9007199254740993 AS big, 'epoch'::timestamptz AS at`,
  );
  expect(rows).toEqual([{ big: '9007199254740993', at: new Date(0) }]);
});

test('a saturated pool refuses within its connect timeout instead of queueing', async () => {
  verifies('H29');
  const { pool, prisma, close } = openDatabase(testDatabase.url, { applicationName: 'saturated', max: 1 });
  expect(pool.options.connectionTimeoutMillis).toBe(2_000);
  pool.options.connectionTimeoutMillis = LONG_LIMITS.connectTimeoutMs;
  const busy = await pool.connect();
  pool.options.connectionTimeoutMillis = 200;
  // The connection stays busy until both are refused.
  const [plain, viaPrisma] = await Promise.allSettled([pool.query('SELECT 1'), prisma.$queryRaw`SELECT 1`]);
  expect(plain).toMatchObject({ reason: { message: expect.stringMatching(/timeout .* connect/) } });
  expect(viaPrisma.status).toBe('rejected');
  busy.release();
  expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  await close();
});

test('an unreachable server is an error within the connect timeout', async () => {
  // TEST-NET-1 (RFC 5737): nobody answers there.
  const { pool, close } = openDatabase('postgresql://a:b@192.0.2.1:5432/c', {
    applicationName: 'unreachable',
    connectTimeoutMs: 200,
  });
  await expect(pool.query('SELECT 1')).rejects.toThrow();
  await close();
});

test('a slow statement is ended by the server', async () => {
  const { pool, close } = openDatabase(testDatabase.url, {
    ...LONG_LIMITS,
    applicationName: 'slow',
    statementTimeoutMs: 100,
  });
  pool.options.query_timeout = 60_000; // only the server ends it
  await expect(pool.query('SELECT pg_sleep(10)')).rejects.toThrow('statement timeout');
  await close();
});

test('a transaction that nobody goes on with ends, and so does a query to a server that is gone', async () => {
  const { pool, reads, close } = openDatabase(testDatabase.url, {
    applicationName: 'idle',
    connectTimeoutMs: LONG_LIMITS.connectTimeoutMs,
    statementTimeoutMs: 15_000,
  });
  for (const each of [pool, reads]) {
    const { rows } = await each.query(
      `SELECT name, setting FROM pg_settings
       WHERE name IN ('statement_timeout', 'idle_in_transaction_session_timeout') ORDER BY name`,
    );
    expect(rows.map(({ setting }) => setting)).toEqual(['10000', '15000']);
    // The client's own limit comes after the server's, which says more.
    expect(each.options).toMatchObject({ query_timeout: 15_500, keepAlive: true });
  }
  await close();
});

test('what waits for the disk is what people are answered for, and not the queue', async () => {
  const WAITS = "SELECT setting, source FROM pg_settings WHERE name = 'synchronous_commit'";
  const queue = openQueuePool(testDatabase.url, { applicationName: 'queue', max: 1, onError: () => {} });
  expect((await queue.pool.query(WAITS)).rows).toEqual([{ setting: 'off', source: 'client' }]);
  // The server of the tests is the one that never waits.
  expect((await testDatabase.database.pool.query(WAITS)).rows).not.toMatchObject([{ source: 'client' }]);
  await queue.close();
});

test('what waits for a server that went silent ends when the queue is cut, and the next is asked on a new connection', async () => {
  const queue = openQueuePool(testDatabase.url, { applicationName: 'cut queue', max: 2, onError: () => {} });
  const pidOf = async () => (await queue.pool.query('SELECT pg_backend_pid() AS pid')).rows[0].pid;
  const pid = await pidOf();
  const waiting = queue.pool.query('SELECT pg_sleep(600)');
  const idle = await queue.pool.connect();
  idle.release();
  queue.cut();
  await expect(waiting).rejects.toThrow('Connection terminated');
  expect(await pidOf()).not.toBe(pid);
  await queue.close();
});

test('a connection that breaks while it is checked out is reported and replaced', async () => {
  const errors: Error[] = [];
  const { promise: reported, resolve } = Promise.withResolvers<void>();
  const { pool, close } = openDatabase(testDatabase.url, {
    ...LONG_LIMITS,
    applicationName: 'cut off',
    max: 1,
    onError: (error) => {
      errors.push(error);
      resolve();
    },
  });
  const client = await pool.connect();
  await testDatabase.database.pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'cut off'`,
  );
  await reported;
  expect(errors[0]?.message).toContain('terminating connection');
  client.release(true);
  expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  await close();
});
