// While a cluster is updated, the release before still serves on the new tables (docs/changing-the-database.md).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@bailiff/core/testing';
import { expect, test } from 'vitest';
import { readMigrations } from '#src/migrate.ts';
import { PRISMA_DIRECTORY } from '#src/paths.ts';

const MIGRATIONS = join(PRISMA_DIRECTORY, 'migrations');
/** Migrations up to this one were applied before anything was held to this. */
const BEFORE = '20261123000000_initial';
/** What the release before may still read or write, and would then find gone, renamed or refused. */
const BREAKING: readonly (readonly [what: string, sql: RegExp])[] = [
  ['drops a table', /\bDROP\s+TABLE\b/i],
  ['drops a column', /\bDROP\s+COLUMN\b/i],
  ['drops a type', /\bDROP\s+TYPE\b/i],
  ['renames', /\bRENAME\s+(?:COLUMN|TO|VALUE)\b/i],
  ['changes a type', /\bALTER\s+COLUMN\s+\S+\s+(?:SET\s+DATA\s+)?TYPE\b/i],
  ['takes a default away', /\bALTER\s+COLUMN\s+\S+\s+DROP\s+DEFAULT\b/i],
  ['demands a value', /\bSET\s+NOT\s+NULL\b/i],
  ['adds a column that must be given', /\bADD\s+COLUMN\b(?!.*\b(?:DEFAULT|GENERATED)\b).*\bNOT\s+NULL\b/is],
];
/** A migration names here what no release in use needs any more: `-- contracts: 0.2.0 no longer reads this`. */
const AGREED = /^--\s*contracts:\s*\S+/im;

/** What of a migration the release before does not tolerate. */
function breaks(sql: string): string[] {
  if (AGREED.test(sql)) return [];
  const code = sql.replace(/--[^\n]*/g, '').replace(/'(?:[^']|'')*'/g, "''");
  const made = new Set([...code.matchAll(/\bCREATE\s+TABLE\s+"?(\w+)"?/gi)].map(([, table]) => table));
  // Nobody uses a table yet that the same migration makes.
  const clauses = code.split(';').flatMap((statement) => {
    const table = /\bALTER\s+TABLE\s+(?:ONLY\s+)?"?(\w+)"?/i.exec(statement)?.[1];
    return table !== undefined && made.has(table) ? [] : statement.split(/,\s*(?=(?:ADD|ALTER|DROP)\b)/i);
  });
  return BREAKING.filter(([, pattern]) => clauses.some((each) => pattern.test(each))).map(([what]) => what);
}

test('a migration takes nothing away that the release before uses', async () => {
  verifies('ops.update.expand-contract');
  const names = (await readMigrations(MIGRATIONS)).map(({ name }) => name);
  expect(names, 'the migration after which all are held to this').toContain(BEFORE);
  const held = names.filter((name) => name > BEFORE);
  const found = held.flatMap((name) => {
    const problems = breaks(readFileSync(join(MIGRATIONS, name, 'migration.sql'), 'utf8'));
    return problems.length === 0 ? [] : [`${name} ${problems.join(', ')}`];
  });
  expect(
    found,
    'add first, remove a release later (docs/changing-the-database.md, During an update)',
  ).toEqual([]);
});

test.each([
  ['DROP TABLE "bans";', ['drops a table']],
  ['ALTER TABLE "bans" DROP COLUMN "why";', ['drops a column']],
  ['ALTER TABLE bans RENAME COLUMN why TO reason;', ['renames']],
  ['ALTER TABLE "bans" RENAME TO "cases";', ['renames']],
  ["ALTER TYPE \"Kind\" RENAME VALUE 'a' TO 'b';", ['renames']],
  ['DROP TYPE "Kind";', ['drops a type']],
  ['ALTER TABLE "bans" ALTER COLUMN "n" SET DATA TYPE BIGINT;', ['changes a type']],
  ['ALTER TABLE "bans" ALTER COLUMN "n" DROP DEFAULT;', ['takes a default away']],
  ['ALTER TABLE "bans" ALTER COLUMN "n" SET NOT NULL;', ['demands a value']],
  ['ALTER TABLE "bans" ADD COLUMN "n" INTEGER NOT NULL;', ['adds a column that must be given']],
  [
    'ALTER TABLE "bans" ADD COLUMN "a" TEXT,\nADD COLUMN "n" INTEGER NOT NULL;',
    ['adds a column that must be given'],
  ],
  [
    'ALTER TABLE "bans" ADD COLUMN "a" INTEGER NOT NULL DEFAULT 0,\nADD COLUMN "b" TEXT NOT NULL;',
    ['adds a column that must be given'],
  ],
])('%s is not tolerated', (sql, problems) => {
  expect(breaks(sql)).toEqual(problems);
});

test.each([
  'ALTER TABLE "bans" ADD COLUMN "n" INTEGER NOT NULL DEFAULT 0;',
  'ALTER TABLE "bans" ADD COLUMN "n" INTEGER DEFAULT 0 NOT NULL;',
  'ALTER TABLE "bans" ADD COLUMN "n" INTEGER;',
  'CREATE TABLE "new" ("id" TEXT NOT NULL); ALTER TABLE "new" ALTER COLUMN "id" SET NOT NULL;',
  "-- DROP TABLE bans\nUPDATE bans SET why = 'DROP TABLE';",
  'DROP INDEX "bans_n_idx"; DROP VIEW bans_shown;',
  '-- contracts: 0.2.0 no longer reads this\nALTER TABLE "bans" DROP COLUMN "why";',
])('%s is tolerated', (sql) => {
  expect(breaks(sql)).toEqual([]);
});
