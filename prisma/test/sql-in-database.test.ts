import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate } from '#src/migrate.ts';
import { PRISMA_DIRECTORY, PRODUCT_MANIFEST_PATH } from '#src/paths.ts';
import { readSqlFiles, type SqlFile } from '#src/sql-files.ts';
import { createTestDatabase, type TestDatabase } from '#src/testing.ts';

let db: TestDatabase;
let files: SqlFile[];

beforeAll(async () => {
  db = await createTestDatabase();
  files = await readSqlFiles(PRISMA_DIRECTORY);
});

afterAll(() => db.drop());

/** The definition of every function, view and trigger, by the name of its file. */
const DEFINITIONS = `
  SELECT 'functions/' || proname AS name, pg_get_functiondef(oid) AS definition
  FROM pg_proc WHERE pronamespace = 'public'::regnamespace
  UNION ALL
  SELECT 'views/' || viewname, definition FROM pg_views WHERE schemaname = 'public'
  UNION ALL
  SELECT 'triggers/' || c.relname, string_agg(pg_get_triggerdef(t.oid), E'\\n' ORDER BY t.tgrelid::regclass::text, t.tgname)
  FROM pg_trigger t JOIN pg_class c ON c.oid = coalesce(pg_partition_root(t.tgrelid), t.tgrelid)
  WHERE NOT t.tgisinternal AND c.relnamespace = 'public'::regnamespace GROUP BY c.relname
  ORDER BY 1`;

async function definitions({ database }: Pick<TestDatabase, 'database'>): Promise<Record<string, string>> {
  const { rows } = await database.pool.query<{ name: string; definition: string }>(DEFINITIONS);
  return Object.fromEntries(rows.map(({ name, definition }) => [name, definition]));
}

test('every function, view and trigger in the database has a file, and every file is applied', async () => {
  expect(Object.keys(await definitions(db))).toEqual(files.map(({ name }) => name).sort());
});

test('each function in the database is word for word the one in its file', async () => {
  const { rows } = await db.database.pool.query<{ name: string; body: string }>(
    `SELECT 'functions/' || proname AS name, prosrc AS body FROM pg_proc WHERE pronamespace = 'public'::regnamespace`,
  );
  const differing = rows.filter(
    ({ name, body }) => !files.find((file) => file.name === name)?.sql.includes(body),
  );
  expect(differing).toEqual([]);
});

test('a database that had other functions, views and triggers ends like one made from scratch', async () => {
  const { database, url, drop } = await createTestDatabase();
  const { pool } = database;
  const fromScratch = await definitions(db);
  await pool.query(`
    DROP VIEW live_guilds;
    CREATE VIEW live_guilds AS SELECT id FROM guilds;
    CREATE OR REPLACE FUNCTION tell(p_kind text, p_guild_id text, p_more jsonb) RETURNS void LANGUAGE sql AS 'SELECT 1';
    DROP FUNCTION submit_call(jsonb);
    CREATE FUNCTION submit_call(p jsonb, q int) RETURNS int LANGUAGE sql AS 'SELECT q';
    DROP TRIGGER case_told ON cases;
    CREATE TRIGGER other AFTER INSERT ON cases FOR EACH ROW EXECUTE FUNCTION tell_of_change('other');
    CREATE FUNCTION outdated() RETURNS int LANGUAGE sql AS 'SELECT 1';
    UPDATE _bailiff_sql SET checksum = 'of an earlier version';
    INSERT INTO _bailiff_sql (name, checksum, position, release) VALUES ('functions/outdated', '', 0, '0.0.1');`);
  await migrate(url);
  expect(await definitions({ database })).toEqual(fromScratch);
  await drop();
});

test('what is recorded with the files is the version of the product', async () => {
  const { version } = JSON.parse(await readFile(PRODUCT_MANIFEST_PATH, 'utf8')) as { version: string };
  const { rows } = await db.database.pool.query('SELECT DISTINCT release FROM _bailiff_sql');
  expect(rows).toEqual([{ release: version }]);
});
