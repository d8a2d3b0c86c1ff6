// docs/growth.md says of every table what adds its rows and what removes them.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { verifies } from '@bailiff/core/testing';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dropLapsed } from '#src/worker/housekeeping.ts';

const PAGE = readFileSync(resolve(import.meta.dirname, '..', '..', '..', 'docs', 'growth.md'), 'utf8');
const ROWS = [...PAGE.matchAll(/^\| `(\w+)` \|(.*)\|$/gm)].map(([, table = '', cells = '']) => ({
  table,
  cells,
  removedBy: cells.split('|').at(-1) ?? '',
}));

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('every table of the schema is in it, once', async () => {
  verifies('ops.growth');
  const { rows } = await database.database.pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
       AND NOT relispartition AND relname NOT LIKE '\\_%' ORDER BY 1`,
  );
  expect(ROWS.map(({ table }) => table).sort()).toEqual(rows.map(({ name }) => name));
});

test('what it names removes the rows of that table', async () => {
  verifies('ops.growth');
  const dropped = Object.keys(await dropLapsed(database.database));
  const { rows } = await database.database.pool.query<{ name: string; text: string }>(
    "SELECT proname AS name, prosrc AS text FROM pg_proc WHERE pronamespace = 'public'::regnamespace",
  );
  const functions = new Map(rows.map(({ name, text }) => [name, text]));
  for (const { table, cells, removedBy } of ROWS) {
    const named = [...removedBy.matchAll(/`(\w+)`/g)]
      .map(([, name = '']) => name)
      .filter((name) => /[a-z]/.test(name));
    expect(named.length > 0 || cells.includes('Bounded:'), table).toBe(true);
    for (const name of named) {
      if (name === 'dropLapsed') expect(dropped, table).toContain(table === 'actions' ? 'results' : table);
      else if (name.startsWith('forget_'))
        expect(functions.get(name), `${name} ${table}`).toContain(`'${table}'`);
      else expect(functions.has(name), `${name} ${table}`).toBe(true);
    }
  }
});
