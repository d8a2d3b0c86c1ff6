// What an operator or an extension has put beside Bailiff's tables is no part of a backup, and in no restore's way.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { restoreBackup, takeBackup } from '#src/backup/index.ts';
import { migrate, readMigrations } from '#src/migrate.ts';
import { PRISMA_DIRECTORY } from '#src/paths.ts';
import { createTestDatabase, type TestDatabase } from '#src/testing.ts';

let directory: string;
let path: string;
const databases: TestDatabase[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'bailiff-backup-'));
  path = join(directory, 'some.backup');
});

afterEach(async () => {
  await Promise.all(databases.splice(0).map((database) => database.drop()));
  await rm(directory, { recursive: true });
});

async function database(options?: { empty: boolean }): Promise<TestDatabase> {
  const made = await createTestDatabase(options);
  databases.push(made);
  return made;
}

const NOTE = 'a tab\t, a line\nand \\.\nand \\N, a backslash at the end \\';

/** Tables and columns of others, with rows; and two rows of Bailiff's in a table that has such columns. */
async function addOthers(pool: pg.Pool): Promise<void> {
  await pool.query(
    `CREATE TABLE cases_old (id text, said text);
     INSERT INTO cases_old VALUES ('1', E'a tab\\t and \\\\.');
     ALTER TABLE notes ADD COLUMN "Colour" text DEFAULT E'red\\t\\n';
     ALTER TABLE audit ADD COLUMN seen boolean;
     INSERT INTO guilds (id, name, owner_id, tier) VALUES ('1', 'Guild', '1', 'pro');
     ALTER TABLE notes ADD COLUMN weight numeric[] DEFAULT '{1,2}'`,
  );
  await pool.query(
    "INSERT INTO notes (guild_id, user_id, text, written_by) VALUES ('1', '2', $1, '3'), ('1', '2', 'plain', '3')",
    [NOTE],
  );
}

const NAMES = ['audit.seen', 'cases_old', 'notes.Colour', 'notes.weight'];

async function expectRestored(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query("SELECT * FROM notes ORDER BY text = 'plain'");
  expect(rows).toMatchObject([{ text: NOTE }, { text: 'plain' }]);
  expect(Object.keys(rows[0])).not.toContain('Colour');
  expect((await pool.query("SELECT to_regclass('cases_old') AS others")).rows).toEqual([{ others: null }]);
}

test('tables and columns that are not Bailiff’s are left out of a backup, and named', async () => {
  const source = await database();
  await addOthers(source.database.pool);
  // Tables of ours come in the order of their references, which these two do not have.
  await source.database.pool.query(
    `CREATE TABLE left_one (id int PRIMARY KEY);
     CREATE TABLE right_one (id int PRIMARY KEY REFERENCES left_one);
     ALTER TABLE left_one ADD FOREIGN KEY (id) REFERENCES right_one`,
  );
  const taken = await takeBackup(source.url, path, { servedDiscord: false });
  expect(taken.leftOut).toEqual([...NAMES, 'left_one', 'right_one'].sort());
  const target = await database({ empty: true });
  const restored = await restoreBackup(target.url, path);
  expect(restored).toMatchObject({ rows: taken.rows, leftOut: [] });
  await expectRestored(target.database.pool);
});

test('a backup that has them all the same is restored without them, and they are named', async () => {
  const migrations = await readMigrations(join(PRISMA_DIRECTORY, 'migrations'));
  const source = await database({ empty: true });
  // A release takes everything from the database of another one, whose tables it does not know.
  const only = migrations.map(({ name }) => name).slice(0, -1);
  await migrate(source.url, { restoring: { only } });
  await addOthers(source.database.pool);
  const taken = await takeBackup(source.url, path, { servedDiscord: false });
  expect(taken.leftOut).toEqual([]);
  const target = await database({ empty: true });
  const restored = await restoreBackup(target.url, path);
  expect(restored).toMatchObject({ rows: taken.rows - 1, leftOut: NAMES });
  await expectRestored(target.database.pool);
  // What was restored can be backed up like any other database.
  const again = await takeBackup(target.url, join(directory, 'again.backup'), { servedDiscord: false });
  expect(again.leftOut).toEqual([]);
});
