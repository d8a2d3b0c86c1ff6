import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkStatements } from '#src/check-statements.ts';
import { CaseKind } from '#src/index.ts';
import { declaredStatements, sql } from '#src/sql.ts';
import { createTestDatabase, type TestDatabase } from '#src/testing.ts';

let testDatabase: TestDatabase;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
});

afterAll(() => testDatabase.drop());

const GUILD = {
  parameters: [sql.text],
  text: 'SELECT id, shard_id, left_at FROM guilds WHERE id = $1',
} as const;
const guildById = sql.statement({
  ...GUILD,
  columns: { id: sql.text, shard_id: sql.int, left_at: sql.timestamptz.orNull },
});

test('a statement gives rows of its columns', async () => {
  const { pool, prisma } = testDatabase.database;
  await prisma.guild.create({ data: { id: '1', name: 'One', ownerId: '2', tier: 'pro' } });
  expect(await guildById.all(pool, ['1'])).toEqual([{ id: '1', shard_id: 0, left_at: null }]);
  expect(await guildById.first(pool, ['2'])).toBeNull();
  expect(await guildById.only(pool, ['1'])).toMatchObject({ id: '1' });
  await expect(guildById.only(pool, ['2'])).rejects.toThrow('SELECT id, shard_id');
});

test('two texts are never prepared under one name, and one text always is', async () => {
  const { pool } = testDatabase.database;
  const command = (text: string) => sql.command({ parameters: [], text });
  const [one, other] = [command('SELECT 1 AS a'), command('SELECT 2 AS a')];
  expect(one.query([]).name).not.toBe(other.query([]).name);
  expect(command('SELECT 1 AS a').query([]).name).toBe(one.query([]).name);
  const connection = await pool.connect();
  for (const statement of [one, other, one, other]) await statement.run(connection, []);
  const { rows } = await connection.query(
    "SELECT count(*)::int AS prepared FROM pg_prepared_statements WHERE statement LIKE 'SELECT _ AS a'",
  );
  connection.release();
  expect(rows).toEqual([{ prepared: 2 }]);
});

test('values go as their parameters say: JSON as JSON, an array that is JSON too', async () => {
  const { pool } = testDatabase.database;
  const echo = sql.statement({
    parameters: [sql.jsonb<unknown>().orNull, sql.arrayOf(sql.text)],
    columns: { json: sql.jsonb().orNull, list: sql.arrayOf(sql.text) },
    text: 'SELECT $1::jsonb AS json, $2::text[] AS list',
  });
  expect(await echo.only(pool, [[1, 'a'], ['b']])).toEqual({ json: [1, 'a'], list: ['b'] });
  expect(await echo.only(pool, [null, []])).toEqual({ json: null, list: [] });
  expect(await echo.only(pool, ['text', []])).toEqual({ json: 'text', list: [] });
});

test('a family prepares each text once, and beyond its bound none', async () => {
  const family = sql.family('of a test', 2);
  const counted = (n: number) =>
    family.statement({ parameters: [], columns: { n: sql.int }, text: `SELECT ${n} AS n` });
  expect(counted(1)).toBe(counted(1));
  expect([counted(1), counted(2), counted(3)].map((each) => each.query([]).name !== undefined)).toEqual([
    true,
    true,
    false,
  ]);
  expect(await counted(3).only(testDatabase.database.pool, [])).toEqual({ n: 3 });
  expect(family.statements.map(({ text }) => text)).toEqual(['SELECT 1 AS n', 'SELECT 2 AS n']);
  expect(declaredStatements()).toEqual(expect.arrayContaining([guildById, ...family.statements]));
});

const check = (...statements: Parameters<typeof checkStatements>[1] & object) =>
  checkStatements(testDatabase.url, statements);
const columns = { id: sql.text, shard_id: sql.int, left_at: sql.timestamptz.orNull };

test('a statement that is as it is declared has no flaw', async () => {
  expect(
    await check(guildById, {
      parameters: [sql.oneOf({ CaseKind }), sql.bigint],
      columns: { kind: sql.oneOf({ CaseKind }), active: sql.bool, expires_at: sql.timestamptz.neverNull },
      text: `SELECT kind, ended_at IS NULL AS active, expires_at FROM cases
             WHERE kind = $1 AND expires_at IS NOT NULL LIMIT $2`,
    }),
  ).toEqual([]);
});

test.each([
  [
    'a table that is not there',
    { ...GUILD, columns, text: 'SELECT id FROM guild WHERE id = $1' },
    'PostgreSQL refuses it: relation "guild" does not exist',
  ],
  [
    'a column that was renamed',
    { ...GUILD, columns: { ...columns, shard: sql.int } },
    'It has no column shard.',
  ],
  [
    'a column that nobody declared',
    { ...GUILD, columns: { id: sql.text, shard_id: sql.int } },
    'Its column left_at is not declared.',
  ],
  [
    'a column of another type',
    { ...GUILD, columns: { ...columns, shard_id: sql.text } },
    'Its column shard_id is integer, and declared as text.',
  ],
  [
    'a column that can be null',
    { ...GUILD, columns: { ...columns, left_at: sql.timestamptz } },
    'Its column left_at can be null (orNull), unless the statement rules it out (neverNull).',
  ],
  [
    'a column that never is null',
    { ...GUILD, columns: { ...columns, id: sql.text.orNull } },
    'Its column id is never null, and declared as if it could be.',
  ],
  [
    'two columns of one name',
    { ...GUILD, columns: { id: sql.text }, text: 'SELECT id, id FROM guilds WHERE id = $1' },
    'Two columns are called id.',
  ],
  [
    'a parameter of another type',
    { ...GUILD, columns, parameters: [sql.int] },
    '$1 is text, and declared as integer.',
  ],
  [
    'a parameter too many',
    { ...GUILD, columns, parameters: [sql.text, sql.text] },
    'It has 1 parameters (text), and 2 are declared.',
  ],
])('%s is a flaw', async (_name, statement, flaw) => {
  expect((await check(statement)).map((each) => each.split('\n')[0])).toEqual([flaw]);
});
