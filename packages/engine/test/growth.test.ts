// docs/growth.md says of every table what adds its rows and what removes them.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { verifies } from '@bailiff/core/testing';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MOST_PRESETS_PER_GUILD } from '#src/cases/presets.ts';
import { dropLapsed } from '#src/worker/housekeeping.ts';

const read = (name: string) =>
  readFileSync(resolve(import.meta.dirname, '..', '..', '..', 'docs', name), 'utf8').replace(
    /\n(?=\w)/g,
    ' ',
  );
const PAGE = read('growth.md');
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

test('a guild is not said to have more than it can have', () => {
  verifies('ops.growth');
  const cells = ROWS.find(({ table }) => table === 'reason_presets')?.cells.split('|') ?? [];
  expect(cells[0]).toContain(`${MOST_PRESETS_PER_GUILD} at most`);
  expect(cells.slice(1, 4).map(Number).at(-1)).toBeLessThanOrEqual(MOST_PRESETS_PER_GUILD);
});

/** The numbers in a sentence of a page. */
function numbersIn(page: string, sentence: RegExp): number[] {
  const found = sentence.exec(page);
  expect(found, String(sentence)).not.toBeNull();
  return (found ?? []).slice(1).map((text) => Number(text.replace(/[^\d.]/g, '')));
}

test('what the pages say of gigabytes, rows and connections follows from their tables', () => {
  verifies('ops.growth');
  const scaling = read('scaling.md');
  const actions = ROWS.find(({ table }) => table === 'actions')?.cells ?? '';
  const [small = 0, medium = 0, large = 0] = [...actions.matchAll(/([\d,]+) a year/g)].map(([, count = '']) =>
    Number(count.replaceAll(',', '')),
  );
  const [mbOfLarge = 0, mbOfThousandSmall] = numbersIn(
    PAGE,
    /a large guild adds about (\d+) MB a year.*?A thousand small guilds add about (\d+) MB/s,
  );
  const mbOf = (guilds: number, actionsOfOne: number) => (mbOfLarge / large) * actionsOfOne * guilds;
  const isAbout = (said: number | undefined, is: number) => {
    expect((said ?? 0) / is).toBeGreaterThan(0.9);
    expect((said ?? 0) / is).toBeLessThan(1.1);
  };
  isAbout(mbOfThousandSmall, mbOf(1_000, small));
  const [ofSmall = 0, ofMedium = 0, oneLarge = 0] = numbersIn(
    scaling,
    /: (\d+) MB for the small guilds, (\d+) MB for the medium ones, and (\d+) MB for each of/,
  );
  isAbout(ofSmall, mbOf(948, small));
  isAbout(ofMedium, mbOf(50, medium));
  const [gb = 0] = numbersIn(scaling, /Records take about ([\d.]+) GB a year/);
  isAbout(gb * 1_000, ofSmall + ofMedium + 2 * oneLarge);
  const [atTenThousand] = numbersIn(scaling, /(\d+) GB of records a year and 24 GB/);
  isAbout(atTenThousand, gb * 10);
  const [atHundredThousand] = numbersIn(scaling, /(\d+) GB of records a year and 240 GB/);
  isAbout(atHundredThousand, gb * 100);
  const [atMillion] = numbersIn(scaling, /(\d+) TB of records a year and 2\.4 TB/);
  isAbout(atMillion, gb);

  const [readsInDay = 0] = numbersIn(scaling, /50 × 2,000 \+ 2 × 50,000 \| ([\d,]+) \|/);
  const [perSecond, millionRows] = numbersIn(
    scaling,
    /(\d+) reads a second on average are (\d+) million rows a day/,
  );
  isAbout(perSecond, (readsInDay * 100) / 86_400);
  isAbout(millionRows, (readsInDay * 100) / 1e6);
  const [ofWeb = 0, ofBot = 0] = numbersIn(scaling, /at most (\d+) of a web process and (\d+) of a bot/);
  expect(numbersIn(scaling, /Four web processes and 20 bots need (\d+)/)).toEqual([4 * ofWeb + 20 * ofBot]);
});
