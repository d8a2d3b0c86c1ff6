import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { migrate } from '#src/migrate.ts';
import { createTestDatabase, type TestDatabase } from '#src/testing.ts';

let db: TestDatabase;
let directory: string;

beforeEach(async () => {
  db = await createTestDatabase({ empty: true });
  directory = await mkdtemp(join(tmpdir(), 'bailiff-sql-'));
  await write('migrations/1_first/migration', 'CREATE TABLE notes (id int DEFAULT one(), text text);');
  await write('functions/one', `-- before: migrations\n${returning('one()', '1')}`);
});

afterEach(async () => {
  await rm(directory, { recursive: true });
  await db.drop();
});

async function write(name: string, sql: string): Promise<void> {
  const path = join(directory, `${name}.sql`);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, sql);
}

const remove = (name: string) => rm(join(directory, `${name}.sql`));
const run = (release?: string) =>
  migrate(db.url, { directory, ...(release === undefined ? {} : { release }) });

/** SQL of a function that returns an expression. */
function returning(signature: string, expression: string, type = 'int'): string {
  return `CREATE OR REPLACE FUNCTION ${signature} RETURNS ${type} LANGUAGE sql AS $$ SELECT ${expression} $$;`;
}

async function value(expression: string): Promise<unknown> {
  const { rows } = await db.database.pool.query<{ value: unknown }>(`SELECT ${expression} AS value`);
  return rows[0]?.value;
}

const names = (kind: 'functions' | 'views' | 'triggers') =>
  value(
    {
      functions: `(SELECT array_agg(proname::text ORDER BY oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace)`,
      views: `(SELECT array_agg(viewname::text) FROM pg_views WHERE schemaname = 'public')`,
      triggers: `(SELECT array_agg(tgname::text) FROM pg_trigger WHERE tgrelid = 'notes'::regclass)`,
    }[kind],
  );

const trigger = (name: string) =>
  `CREATE TRIGGER ${name} BEFORE INSERT ON notes FOR EACH ROW EXECUTE FUNCTION follow();`;
const FOLLOW =
  'CREATE OR REPLACE FUNCTION follow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;';

describe('applying', () => {
  test('files are applied after the migrations, once, and those tables need before them', async () => {
    await write('functions/texts', returning('texts()', 'text FROM notes', 'text'));
    await write('views/all_notes', 'CREATE OR REPLACE VIEW all_notes AS SELECT * FROM notes;');
    await write('functions/follow', FOLLOW);
    await write('triggers/notes', trigger('followed'));
    expect(await run()).toEqual([
      'functions/one',
      '1_first',
      'functions/follow',
      'functions/texts',
      'views/all_notes',
      'triggers/notes',
    ]);
    expect(await run()).toEqual([]);
    expect(await value('(SELECT count(*)::int FROM _bailiff_sql)')).toBe(5);
  });

  test('a changed body is replaced in place: what uses the function stays', async () => {
    await write('functions/a', returning('a()', '1'));
    await write('views/uses', 'CREATE OR REPLACE VIEW uses AS SELECT a() AS n;');
    await run();
    const oid = await value(`'a'::regproc::oid::int`);
    await write('functions/a', returning('a()', '2'));
    await write('functions/one', `-- before: migrations\n${returning('one()', '11')}`);
    expect(await run()).toEqual(['functions/one', 'functions/a']);
    expect(await value(`'a'::regproc::oid::int`)).toBe(oid);
    expect(await value('(SELECT n FROM uses)')).toBe(2);
    expect(await value('one()')).toBe(11);
  });

  test('a changed signature, with a view in its way, replaces the old function', async () => {
    await write('functions/a', returning('a()', '1'));
    await write('views/uses', 'CREATE OR REPLACE VIEW uses AS SELECT a() AS n;');
    await run();
    await write('functions/a', returning('a(x int)', 'x + 1', 'bigint'));
    await write('views/uses', 'CREATE OR REPLACE VIEW uses AS SELECT a(4) AS n;');
    await run();
    expect(await value('(SELECT n::int FROM uses)')).toBe(5);
    expect(await names('functions')).toEqual(['one', 'a']);
  });

  test('a view may lose and gain columns, also when something else is built on it', async () => {
    await write('views/inner_notes', 'CREATE OR REPLACE VIEW inner_notes AS SELECT id, text FROM notes;');
    await write(
      'views/a_outer',
      '-- after: views/inner_notes\nCREATE OR REPLACE VIEW a_outer AS SELECT id FROM inner_notes;',
    );
    await run();
    await write(
      'views/inner_notes',
      'CREATE OR REPLACE VIEW inner_notes AS SELECT 1 AS more, id FROM notes;',
    );
    await run();
    expect(await value('(SELECT count(*)::int FROM a_outer, inner_notes WHERE more = 2)')).toBe(0);
  });

  test('a view of every column sees the column that a migration adds', async () => {
    await write('views/all_notes', 'CREATE OR REPLACE VIEW all_notes AS SELECT *, 1 AS one FROM notes;');
    await run();
    await write('migrations/2_second/migration', 'ALTER TABLE notes ADD COLUMN author text;');
    expect(await run()).toContain('views/all_notes');
    await db.database.pool.query('SELECT author FROM all_notes');
  });

  test('what a migration drops to have its way is made again', async () => {
    await write('views/texts', 'CREATE OR REPLACE VIEW texts AS SELECT text::varchar FROM notes;');
    await run();
    await write(
      'migrations/2_second/migration',
      'DROP VIEW texts; ALTER TABLE notes ALTER COLUMN text TYPE varchar;',
    );
    expect(await run()).toEqual(['2_second', 'views/texts']);
    expect(await names('views')).toEqual(['texts']);
  });

  test('a removed file drops its object, a trigger taken from its file as well', async () => {
    await write('functions/follow', FOLLOW);
    await write('functions/a', returning('a()', '1'));
    await write('triggers/notes', trigger('first') + trigger('second'));
    await run();
    await remove('functions/a');
    await write('triggers/notes', trigger('second'));
    expect(await run()).toEqual(['triggers/notes', 'functions/a']);
    expect(await names('functions')).toEqual(['one', 'follow']);
    expect(await names('triggers')).toEqual(['second']);
    await remove('triggers/notes');
    await remove('functions/follow');
    await run();
    expect(await names('functions')).toEqual(['one']);
    expect(await names('triggers')).toBeNull();
  });

  test('a trigger of a table that a backup reads lets callers through, says what it waits for, and is changed', async () => {
    await write('functions/follow', FOLLOW);
    await write('triggers/notes', trigger('first'));
    await run();
    const { pool } = db.database;
    const backup = await pool.connect();
    await backup.query("SET application_name = 'pg_dump'");
    await backup.query('BEGIN; SELECT FROM notes');
    await write('triggers/notes', trigger('second'));
    const lines: string[] = [];
    const updating = migrate(db.url, { directory, onWait: (line) => lines.push(line) });
    updating.catch((error: Error) => lines.push(error.message));
    const waiting = async () =>
      (await pool.query("SELECT FROM pg_locks WHERE relation = 'notes'::regclass AND NOT granted")).rowCount;
    await expect.poll(waiting, { timeout: 120_000, interval: 10 }).toBe(1);
    expect((await pool.query('SELECT FROM notes')).rows).toEqual([]);
    await expect
      .poll(() => lines.at(-1), { timeout: 120_000 })
      .toMatch(
        /^The update of functions, views and triggers waits until pg_dump \(process \d+ of the database\) no/,
      );
    expect(await names('triggers')).toEqual(['first']);
    await backup.query('COMMIT');
    backup.release(true);
    expect(await updating).toEqual(['triggers/notes']);
    expect(await names('triggers')).toEqual(['second']);
  });

  test('an update that waits for a backup can be stopped, and then has changed nothing', async () => {
    await write('functions/follow', FOLLOW);
    await write('triggers/notes', trigger('first'));
    await run();
    const backup = await db.database.pool.connect();
    await backup.query('BEGIN; SELECT FROM notes');
    await write('triggers/notes', trigger('second'));
    const stop = new AbortController();
    const updating = migrate(db.url, { directory, signal: stop.signal, onWait: () => stop.abort() });
    await expect(updating).rejects.toThrow(/aborted/);
    expect(await names('triggers')).toEqual(['first']);
    backup.release(true);
  });

  test('of four that start at once, one applies', async () => {
    await write('functions/a', `${returning('a()', '1')} SELECT pg_sleep(0.1);`);
    const results = await Promise.all([1, 2, 3, 4].map(() => run()));
    expect(results.flat()).toEqual(['functions/one', '1_first', 'functions/a']);
  });
});

describe('a rolling update', () => {
  test('an older release leaves the functions of a later one alone', async () => {
    await write('functions/a', returning('a()', '10'));
    await run('0.10.0');
    await write('functions/a', returning('a()', '9'));
    expect(await run('0.9.0')).toEqual([]);
    expect(await value('a()')).toBe(10);
    expect(await run('0.10.0')).toEqual(['functions/a']);
    expect(await value('a()')).toBe(9);
  });

  test('a process whose migrations the database is ahead of leaves them alone too', async () => {
    await write('migrations/2_second/migration', 'CREATE TABLE b (id int);');
    await write('functions/a', returning('a()', '2'));
    await run();
    await rm(join(directory, 'migrations', '2_second'), { recursive: true });
    await write('functions/a', returning('a()', '1'));
    await remove('functions/one');
    expect(await run()).toEqual([]);
    expect(await value('a()')).toBe(2);
  });
});

describe('a file that cannot be applied', () => {
  test('is named, leaves nothing behind, and is applied once corrected', async () => {
    await write('functions/a', returning('a()', '1'));
    await run();
    await write('functions/a', returning('a()', '2'));
    await write('functions/b', returning('b()', '1/'));
    await expect(run()).rejects.toThrow(
      /^prisma\/functions\/b\.sql could not be applied and nothing of the change remains: syntax error .*\. Correct the file and start again\.$/,
    );
    expect(await value('a()')).toBe(1);
    await write('functions/b', returning('b()', '1'));
    expect(await run()).toEqual(['functions/a', 'functions/b']);
  });

  test('keeps no view from the column of a migration that came before it, once corrected', async () => {
    await write('views/all_notes', 'CREATE OR REPLACE VIEW all_notes AS SELECT *, 1 AS one FROM notes;');
    await run();
    await write('migrations/2_second/migration', 'ALTER TABLE notes ADD COLUMN author text;');
    await write('functions/a', returning('a()', '1/'));
    await expect(run()).rejects.toThrow('functions/a.sql could not be applied');
    await write('functions/a', returning('a()', '1'));
    await run();
    expect(await value('(SELECT count(author)::int FROM all_notes)')).toBe(0);
    expect(await run()).toEqual([]);
  });

  test('for want of another file says how to name it', async () => {
    await write('functions/a', returning('a()', 'z()'));
    await write('functions/z', returning('z()', '26'));
    await expect(run()).rejects.toThrow(
      /functions\/a\.sql .* function z\(\) does not exist.*name that file .*-- after: /,
    );
    await write('functions/a', `-- after: functions/z\n${returning('a()', 'z()')}`);
    await run();
    expect(await value('a()')).toBe(26);
  });

  test('because a table uses what it would change, names the table', async () => {
    await run();
    await write('functions/one', `-- before: migrations\n${returning('one()', `'1'`, 'text')}`);
    await expect(run()).rejects.toThrow(
      /functions\/one\.sql could not be applied .* cannot change return type/,
    );
    await remove('functions/one');
    await expect(run()).rejects.toThrow(
      /functions\/one\.sql could not be dropped .* default value for column id of table notes depends on function one\(\)\. Change what uses it/,
    );
  });

  test.each([
    ['functions/two', returning('three()', '3'), /functions\/two\.sql makes 0 objects, but .* called two/],
    ['functions/two', returning('two()', '2') + returning('two(x int)', 'x'), /makes 2 objects/],
    [
      'triggers/notes',
      'SELECT 1;',
      /triggers\/notes\.sql makes 0 objects, but has to make triggers on notes/,
    ],
  ])('%s with %j is refused with what is wrong', async (name, sql, message) => {
    await write(name, sql);
    await expect(run()).rejects.toThrow(message);
  });
});
