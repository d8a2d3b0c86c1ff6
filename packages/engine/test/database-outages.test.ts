import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { verifies } from '@bailiff/core/testing';
import { type Database, openDatabase } from '@bailiff/prisma';
import { createTestDatabase, LONG_LIMITS, type TestDatabase } from '@bailiff/prisma/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databaseErrorCode, isDatabaseUnavailable, wasNotExecuted } from '#src/database/database-errors.ts';
import { inTransaction } from '#src/database/transaction.ts';

let testDatabase: TestDatabase;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
});

afterAll(() => testDatabase.drop());

const UNIQUE_VIOLATION = '23505';
const guild = { id: '1', name: 'One', ownerId: '2', tier: 'pro' } as const;

async function failureOf(work: Promise<unknown>): Promise<Error> {
  const error = await work.then(
    () => new Error('It did not fail.'),
    (thrown: unknown) => thrown,
  );
  return error instanceof Error ? error : new Error(String(error));
}

describe('Prisma Client’s failures are told apart as those of pg are:', () => {
  test('a saturated pool is unavailable within its deadline, and nothing was executed', async () => {
    const db = openDatabase(testDatabase.url, { ...LONG_LIMITS, applicationName: 'saturated', max: 1 });
    await db.prisma.$connect();
    const busy = await db.pool.connect();
    db.pool.options.connectionTimeoutMillis = 200;
    // The connection stays busy until it is refused.
    const error = await failureOf(db.prisma.guild.findMany());
    expect([isDatabaseUnavailable(error), wasNotExecuted(error)]).toEqual([true, true]);
    busy.release();
    await db.close();
  });

  test('a server that is not there is unavailable, and nothing was executed', async () => {
    const db: Database = openDatabase('postgresql://a:b@127.0.0.1:1/c', { applicationName: 'absent' });
    const error = await failureOf(db.prisma.guild.findMany());
    expect([isDatabaseUnavailable(error), wasNotExecuted(error)]).toEqual([true, true]);
    await db.close();
  });

  test('a statement that waits too long is ended, unavailable, and had no effect', async () => {
    const db = openDatabase(testDatabase.url, { applicationName: 'slow', statementTimeoutMs: 200 });
    db.pool.options.query_timeout = 60_000; // only the server ends it
    const holder = await testDatabase.database.pool.connect();
    await holder.query('BEGIN');
    await testDatabase.database.prismaOn(holder).guild.create({ data: guild });
    const error = await failureOf(db.prisma.guild.create({ data: guild }));
    expect([isDatabaseUnavailable(error), wasNotExecuted(error)]).toEqual([true, true]);
    await holder.query('COMMIT');
    holder.release();
    await db.close();
  });

  test('a wrong query is no outage', async () => {
    const { prisma } = testDatabase.database;
    await prisma.guild.upsert({ where: { id: '1' }, create: guild, update: {} });
    const error = await failureOf(prisma.guild.create({ data: guild }));
    expect([isDatabaseUnavailable(error), databaseErrorCode(error)]).toEqual([false, UNIQUE_VIOLATION]);
  });
});

test('what a caller was told did not happen in time is not committed later', async () => {
  const db = openDatabase(testDatabase.url, { ...LONG_LIMITS, applicationName: 'late' });
  db.pool.options.idleTimeoutMillis = 0;
  const told = Promise.withResolvers<void>();
  const late = inTransaction(
    db,
    async (tx) => {
      await tx.prisma.guild.create({ data: { ...guild, id: '3' } });
      await told.promise;
    },
    { withinMs: 100 },
  );
  expect(await failureOf(late)).toMatchObject({ details: { outcome: 'not_performed' } });
  told.resolve();
  await expect.poll(() => db.pool.idleCount).toBe(1);
  expect(await db.prisma.guild.count({ where: { id: '3' } })).toBe(0);
  await db.close();
});

/** What PostgreSQL says, in any language, when it stops to wait for its synchronous standby, as it is on the wire. */
function gaveUpWaiting(): Buffer {
  const fields = ['SWARNING', 'VWARNING', 'C01000', 'Mabgebrochen', 'Fsyncrep.c', 'RSyncRepWaitForLSN'];
  const text = Buffer.from(`${fields.join('\0')}\0\0`);
  const head = Buffer.from('N\0\0\0\0');
  head.writeInt32BE(text.length + 4, 1);
  return Buffer.concat([head, text]);
}

test('of what was committed while the standby was silent, the caller hears that it is unknown', async () => {
  verifies('ops.database.failover');
  const { port, hostname } = new URL(testDatabase.url);
  const committed = 'C\0\0\0\x0bCOMMIT\0';
  let isSilent = false;
  const server = createServer((client) => {
    const there = connect(Number(port), hostname);
    client.pipe(there);
    there.on('data', (bytes: Buffer) => {
      const answer = bytes.toString('latin1');
      const warned = answer.replace(committed, `${gaveUpWaiting().toString('latin1')}${committed}`);
      client.write(Buffer.from(isSilent ? warned : answer, 'latin1'));
    });
    for (const socket of [client, there])
      socket.on('error', () => {}).on('close', () => [client, there].forEach((each) => void each.destroy()));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(testDatabase.url);
  url.port = String((server.address() as AddressInfo).port);
  const db = openDatabase(url.href, { ...LONG_LIMITS, applicationName: 'one server', max: 1 });
  const write = () => inTransaction(db, (tx) => tx.query('SELECT 1'));
  await write();
  isSilent = true;
  expect(await failureOf(write())).toMatchObject({
    code: 'UPSTREAM_UNAVAILABLE',
    details: { outcome: 'unknown' },
  });
  isSilent = false;
  await write();
  await db.close();
  server.close();
});
