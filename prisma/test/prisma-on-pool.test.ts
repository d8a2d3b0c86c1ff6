import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#src/testing.ts';

let testDatabase: TestDatabase;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
});

afterAll(() => testDatabase.drop());

const guild = { id: '1', name: 'One', ownerId: '2', tier: 'pro' } as const;

test('Prisma writes in a transaction of pg, and is rolled back with it', async () => {
  const { pool, prisma, prismaOn } = testDatabase.database;
  const connection = await pool.connect();
  await connection.query('BEGIN');
  await prismaOn(connection).guild.create({ data: guild });
  expect((await connection.query('SELECT id FROM guilds')).rows).toEqual([{ id: '1' }]);
  expect(await prisma.guild.count()).toBe(0);
  await connection.query('ROLLBACK');
  connection.release();
  expect(await prisma.guild.count()).toBe(0);
});

test('two transactions at once each see their own rows through Prisma', async () => {
  const { pool, prismaOn } = testDatabase.database;
  const connections = [await pool.connect(), await pool.connect()] as const;
  const counts = await Promise.all(
    connections.map(async (connection, index) => {
      await connection.query('BEGIN');
      await prismaOn(connection).guild.create({ data: { ...guild, id: String(index + 10) } });
      return (await prismaOn(connection).guild.findMany({ select: { id: true } })).map(({ id }) => id);
    }),
  );
  expect(counts).toEqual([['10'], ['11']]);
  for (const connection of connections) {
    await connection.query('ROLLBACK');
    connection.release();
  }
});

test('what Prisma would gather over transactions, or run in one of its own, is refused', async () => {
  const { pool, prismaOn } = testDatabase.database;
  const connection = await pool.connect();
  await connection.query('BEGIN');
  const models = prismaOn(connection);
  await expect(models.guild.findUnique({ where: { id: '1' } })).rejects.toThrow('Use findFirst');
  await expect(
    models.guild.create({
      data: { ...guild, escalation: { create: { steps: { create: { points: 3, sanction: 'mute' } } } } },
    }),
  ).rejects.toThrow('a transaction of its own');
  await connection.query('ROLLBACK');
  connection.release();
});
test('a moment that nobody gives is the database’s, not this process’s', async () => {
  const { pool, prismaOn } = testDatabase.database;
  const connection = await pool.connect();
  const sent: string[] = [];
  const query = connection.query.bind(connection) as (config: { text: string }) => unknown;
  Object.assign(connection, {
    query: (config: { text: string }) => {
      sent.push(config.text);
      return query(config);
    },
  });
  await prismaOn(connection).guild.create({ data: { ...guild, id: '20' }, select: { id: true } });
  connection.release(true);
  expect(sent.join()).toContain('INSERT INTO');
  expect(sent.join()).not.toContain('created_at');
});
