import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { migrate, readMigrations } from '#src/migrate.ts';
import { explainFailed } from '#src/migration-adapter.ts';
import { PRISMA_DIRECTORY } from '#src/paths.ts';
import { createTestDatabase, type TestDatabase } from '#src/testing.ts';
import { whenFree } from '#src/when-free.ts';

const MIGRATE = new URL('../src/migrate.ts', import.meta.url).href;

let db: TestDatabase;
let directory: string;

beforeEach(async () => {
  db = await createTestDatabase({ empty: true });
  directory = await mkdtemp(join(tmpdir(), 'bailiff-migrations-'));
});

afterEach(async () => {
  await rm(directory, { recursive: true });
  await db.drop();
});

async function writeMigration(name: string, sql: string): Promise<void> {
  await mkdir(join(directory, 'migrations', name), { recursive: true });
  await writeFile(join(directory, 'migrations', name, 'migration.sql'), sql);
}

test('migrations are applied once, in order, and graphile-worker is installed', async () => {
  await writeMigration('2_second', 'ALTER TABLE a ADD COLUMN name text;');
  await writeMigration('1_first', 'CREATE TABLE a (id int);');
  expect(await migrate(db.url, { directory })).toEqual(['1_first', '2_second']);
  expect(await migrate(db.url, { directory })).toEqual([]);
  await db.database.pool.query(`SELECT graphile_worker.add_job('anything')`);
});

test('of four that migrate at once, one works and the others find it done', async () => {
  await writeMigration('1_first', 'CREATE TABLE a (id int); SELECT pg_sleep(0.2);');
  await writeMigration('2_second', 'CREATE TABLE b (id int);');
  const results = await Promise.all([1, 2, 3, 4].map(() => migrate(db.url, { directory })));
  expect(results.flat()).toEqual(['1_first', '2_second']);
});

test('a migration that was cut off, or that others kept waiting, is not said to be wrong', () => {
  expect(explainFailed('1_x', new Error('gone')).message).toMatch(
    /^The connection was lost while migration 1_x ran: gone/,
  );
  const busy = Object.assign(new pg.DatabaseError('waited too long', 0, 'error'), { code: '55P03' });
  expect(explainFailed('1_x', busy).message).toMatch(
    /nothing of it remains: .*\. Others use its tables: start again/,
  );
});

test('a function body with semicolons is applied whole', async () => {
  await writeMigration(
    '1_function',
    `-- a comment; with a semicolon
     CREATE FUNCTION two() RETURNS int LANGUAGE plpgsql AS $$ DECLARE i int; BEGIN i := 1; RETURN i + 1; END $$;`,
  );
  await migrate(db.url, { directory });
  expect((await db.database.pool.query('SELECT two()')).rows).toEqual([{ two: 2 }]);
});

test('an edited migration is refused by name, with what to do', async () => {
  await writeMigration('1_first', 'CREATE TABLE a (id int);');
  await migrate(db.url, { directory });
  await appendFile(join(directory, 'migrations', '1_first', 'migration.sql'), '-- later thought\n');
  await expect(migrate(db.url, { directory })).rejects.toThrow(
    /1_first was changed after .* Restore .* npm run migration/,
  );
});

test('a failed migration is named, leaves nothing behind, and is applied once corrected', async () => {
  await writeMigration('1_first', 'CREATE TABLE a (id int); SELECT 1/0;');
  await expect(migrate(db.url, { directory })).rejects.toThrow(
    /1_first failed and nothing of it remains: division by zero\. Correct/,
  );
  expect((await db.database.pool.query(`SELECT to_regclass('a') AS a`)).rows).toEqual([{ a: null }]);
  await writeMigration('1_first', 'CREATE TABLE a (id int);');
  expect(await migrate(db.url, { directory })).toEqual(['1_first']);
});

test('a database that takes no writes is told as such, and used as it is where nothing has to be applied', async () => {
  const { rows } = await db.database.pool.query<{ name: string }>('SELECT current_database() AS name');
  const setReadOnly = (state: 'on' | 'off') =>
    db.database.pool.query(
      `START TRANSACTION READ WRITE;
       ALTER DATABASE ${pg.escapeIdentifier(rows[0]?.name ?? '')} SET default_transaction_read_only = ${state};
       COMMIT`,
    );
  await writeMigration('1_first', 'CREATE TABLE a (id int);');
  await setReadOnly('on');
  await expect(migrate(db.url, { directory })).rejects.toMatchObject({
    code: '25006',
    message: 'The database takes no writes, because it is a standby or read-only',
  });
  await setReadOnly('off');
  expect(await migrate(db.url, { directory })).toEqual(['1_first']);
  await setReadOnly('on');
  expect(await migrate(db.url, { directory })).toEqual([]);
});

test('an attempt that Prisma has marked as rolled back counts as none', async () => {
  await writeMigration('1_first', 'CREATE TABLE a (id int);');
  await migrate(db.url, { directory });
  await db.database.pool.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, rolled_back_at)
     VALUES ('an attempt', 'of another text', '1_first', now(), now())`,
  );
  expect(await migrate(db.url, { directory })).toEqual([]);
  await writeMigration('2_second', 'SELECT 1/0;');
  await expect(migrate(db.url, { directory })).rejects.toThrow('2_second failed');
});

test('a migration whose process is killed while it runs is done when the database has done it', async () => {
  const { pool } = db.database;
  const holder = await pool.connect();
  await holder.query('SELECT pg_advisory_lock(4711)');
  await writeMigration(
    '1_first',
    `CREATE TABLE a (id int);
     DO $$ BEGIN
       WHILE EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711) LOOP
         PERFORM pg_sleep(0.01);
       END LOOP;
     END $$;
     -- The last line has no end`,
  );
  const program = `import { migrate } from ${JSON.stringify(MIGRATE)};
    await migrate(${JSON.stringify(db.url)}, { directory: ${JSON.stringify(directory)} });`;
  const child = execFile(process.execPath, ['--input-type=module', '-e', program]);
  const running = async () => {
    const { rowCount } = await pool.query(
      "SELECT FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%CREATE TABLE a (%'",
    );
    return rowCount;
  };
  // The question itself is the other one.
  await expect.poll(running, { timeout: 120_000 }).toBe(2);
  child.kill('SIGKILL');
  await once(child, 'exit');
  holder.release(true);
  expect(await migrate(db.url, { directory })).toEqual([]);
  expect((await pool.query('SELECT FROM a')).rows).toEqual([]);
});

test('a database of another line of history is refused, one that is merely ahead is not', async () => {
  await writeMigration('1_first', 'CREATE TABLE a (id int);');
  await writeMigration('2_theirs', 'CREATE TABLE b (id int);');
  await migrate(db.url, { directory });
  await rm(join(directory, 'migrations', '2_theirs'), { recursive: true });
  expect(await migrate(db.url, { directory })).toEqual([]);
  await writeMigration('2_ours', 'CREATE TABLE c (id int);');
  await expect(migrate(db.url, { directory })).rejects.toThrow(/2_theirs.*2_ours/);
});

test('waiting for another migration is told, has a deadline and can be aborted', async () => {
  const holder = await db.database.pool.connect();
  await holder.query('SELECT pg_advisory_lock(72707369)');
  await writeMigration('1_first', 'CREATE TABLE a (id int);');
  const lines: string[] = [];
  const onWait = (line: string) => lines.push(line);
  await expect(migrate(db.url, { directory, onWait, lockTimeoutSeconds: 0.2 })).rejects.toThrow(
    /Another process has been migrating this database/,
  );
  expect(lines).toEqual(['Waiting for another process that is migrating this database.']);
  await expect(migrate(db.url, { directory, signal: AbortSignal.timeout(50) })).rejects.toThrow(
    /aborted|timeout/,
  );
  holder.release(true);
});

test('a migration of a table that a backup reads lets callers through, says what it waits for, and goes on', async () => {
  const { pool } = db.database;
  await writeMigration(
    '1_first',
    'CREATE TABLE a (id int); CREATE TABLE b (id int); GRANT SELECT ON b TO bailiff_bot;',
  );
  await migrate(db.url, { directory });
  // How long others have been at work is not told to an owner who is no superuser.
  const bot = new pg.Client(db.processUrls.bot);
  await bot.connect();
  onTestFinished(() => bot.end());
  await bot.query('BEGIN; SELECT FROM b');
  const backup = await pool.connect();
  await backup.query("SET application_name = 'pg_dump'; SET idle_in_transaction_session_timeout = 0");
  await backup.query('BEGIN; SELECT FROM a');
  await writeMigration('2_second', 'ALTER TABLE a ADD COLUMN name text;');
  const lines: string[] = [];
  const migrating = migrate(db.url, { directory, onWait: (line) => lines.push(line) });
  migrating.catch(() => {});
  const waiting = async () =>
    (await pool.query("SELECT FROM pg_locks WHERE relation = 'a'::regclass AND NOT granted")).rowCount;
  await expect.poll(waiting, { timeout: 120_000, interval: 10 }).toBe(1);
  expect((await pool.query('SELECT FROM a')).rows).toEqual([]);
  const whoIsMeant = /^Migration 2_second waits until pg_dump \(process \d+ of the database\) no longer uses/;
  await expect.poll(() => lines.at(-1), { timeout: 120_000 }).toMatch(whoIsMeant);
  await backup.query('COMMIT');
  backup.release(true);
  expect(await migrating).toEqual(['2_second']);
});

test('an update that waited ten minutes for one table gives up at the next one: others wait for the lock no longer', async () => {
  const { pool } = db.database;
  await writeMigration('1_first', 'CREATE TABLE a (id int); CREATE TABLE b (id int);');
  await migrate(db.url, { directory });
  const [readerOfA, writerOfB] = await Promise.all([pool.connect(), pool.connect()]);
  onTestFinished(() => readerOfA.release(true));
  onTestFinished(() => writerOfB.release(true));
  await readerOfA.query('SET idle_in_transaction_session_timeout = 0; BEGIN; SELECT FROM a');
  await writerOfB.query('SET idle_in_transaction_session_timeout = 0; BEGIN; INSERT INTO b VALUES (1)');
  await writeMigration('2_second', 'ALTER TABLE a ADD COLUMN name text;');
  await mkdir(join(directory, 'triggers'));
  await writeFile(
    join(directory, 'triggers', 'b.sql'),
    'CREATE TRIGGER keep BEFORE UPDATE ON b FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger();',
  );
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const lines: string[] = [];
  const onWait = (line: string) => {
    lines.push(line);
    vi.advanceTimersByTime(11 * 60_000);
    void (line.startsWith('Migration 2_second') ? readerOfA : writerOfB).query('COMMIT');
  };
  await expect(migrate(db.url, { directory, onWait })).rejects.toThrow(/lock timeout/);
  expect(lines).toEqual([expect.stringMatching(/^Migration 2_second waits/)]);
  expect((await pool.query('SELECT name FROM a')).rows).toEqual([]);
});

test('a change that takes long takes no time from the next one, which waits for its table', async () => {
  const { pool } = db.database;
  await pool.query('CREATE TABLE a (id int)');
  const [reader, changer] = await Promise.all([pool.connect(), pool.connect()]);
  onTestFinished(() => reader.release(true));
  onTestFinished(() => changer.release(true));
  await reader.query('BEGIN; SELECT FROM a');
  await changer.query("SET lock_timeout = '100ms'");
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const waiting = { left: { ms: 600_000 }, onWait: () => void reader.query('COMMIT') };
  const change = { name: 'Change', pid: 0, settings: pool.options };
  await whenFree(change, waiting, async () => vi.advanceTimersByTime(11 * 60_000));
  await whenFree(change, waiting, () => changer.query('ALTER TABLE a ADD COLUMN name text'));
  expect((await pool.query('SELECT name FROM a')).rows).toEqual([]);
});

test('the release before goes on reading cases while their words are indexed anew, and finds them as before', async () => {
  const added = '20261129160500_words_of_all_scripts';
  const migrations = await readMigrations(join(PRISMA_DIRECTORY, 'migrations'));
  const only = migrations.flatMap(({ name }) => (name < added ? [name] : []));
  await migrate(db.url, { restoring: { only } });
  const { pool } = db.database;
  await pool.query(
    `INSERT INTO guilds (id, name, owner_id, tier) VALUES ('1', 'Guild', '1', 'pro');
     INSERT INTO cases (id, guild_id, case_number, kind, user_id, reason, issued_by)
     VALUES ('war_1', '1', 1, 'warning', '1', 'Spam, scam', '1')`,
  );
  const [migrating, reader] = await Promise.all([pool.connect(), pool.connect()]);
  try {
    await reader.query("SET lock_timeout = '1s'; SET enable_seqscan = off");
    const found = async () => {
      const { rows } = await reader.query(
        `SELECT case_number FROM cases
         WHERE case_words(guild_id, reason, category, player_name, in_game_id) @@ $$'1 scam':*$$::tsquery`,
      );
      return rows;
    };
    const before = [{ case_number: 1 }];
    expect(await found()).toEqual(before);
    await migrating.query(`BEGIN; ${migrations.find(({ name }) => name === added)?.sql}`);
    expect(await found()).toEqual(before);
    await migrating.query('COMMIT');
    expect(await found()).toEqual(before);
  } finally {
    migrating.release(true);
    reader.release(true);
  }
});

test('a database that is up to date is only read: a migration waits for nobody who writes', async () => {
  const current = await createTestDatabase();
  const { pool } = current.database;
  const { rows } = await pool.query(
    "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname IN ('public', 'graphile_worker')",
  );
  const writer = await pool.connect();
  try {
    await writer.query('BEGIN');
    // Reads are allowed, and anything else waits.
    await writer.query(`LOCK TABLE ${rows.map(({ name }) => name)} IN EXCLUSIVE MODE`);
    expect(await migrate(current.url)).toEqual([]);
  } finally {
    writer.release(true);
    await current.drop();
  }
});

test('a process that starts again with nothing to apply does not wait for one that migrates', async () => {
  const current = await createTestDatabase();
  const { pool } = current.database;
  const holder = await pool.connect();
  try {
    await holder.query('SELECT pg_advisory_lock(72707369)');
    const start = () => migrate(current.url, { lockTimeoutSeconds: 0.2 });
    expect(await start()).toEqual([]);
    const isWaiting = /Another process has been migrating this database/;
    // What is recorded is there no longer, and has to be made again.
    await pool.query('ALTER FUNCTION new_id RENAME TO gone');
    await expect(start()).rejects.toThrow(isWaiting);
    await pool.query('ALTER FUNCTION gone RENAME TO new_id');
    await pool.query("UPDATE _bailiff_sql SET release = '0.0.1'");
    await expect(start()).rejects.toThrow(isWaiting);
    // The other one is a later release, which has nearly done its work.
    await pool.query("UPDATE _bailiff_sql SET release = '999.0.0'");
    expect(await start()).toEqual([]);
  } finally {
    holder.release(true);
    await current.drop();
  }
});

test('a login that does not own the tables applies nothing, and says what is missing', async () => {
  const migrated = await createTestDatabase();
  try {
    const { processUrls, database } = migrated;
    expect(await migrate(processUrls.bot)).toEqual([]);
    await database.pool.query(`DELETE FROM _bailiff_sql WHERE name = 'functions/new_id';
      UPDATE _bailiff_sql SET checksum = 'of the release before' WHERE name = 'functions/admit_call'`);
    await expect(migrate(processUrls.bot)).rejects.toThrow(
      "The database lacks functions/admit_call, functions/new_id of this release, and this login may not change tables. Run npm run migrate with the owner's",
    );
    // A later release may drop what the one before it no longer uses.
    await database.pool.query("UPDATE _bailiff_sql SET release = '999.0.0'");
    expect(await migrate(processUrls.bot)).toEqual([]);
  } finally {
    await migrated.drop();
  }
});

test('the rights of logins are given once, and again when a login is another one', async () => {
  const migrated = await createTestDatabase();
  try {
    const { url, database } = migrated;
    const rights = async () => {
      const { rows } = await database.pool.query(
        "SELECT tablename, roles FROM pg_policies WHERE schemaname = 'graphile_worker' ORDER BY 1",
      );
      return rows;
    };
    const before = await rights();
    expect(before.length).toBeGreaterThan(0);
    const worker = await database.pool.connect();
    await worker.query('BEGIN; SELECT FROM graphile_worker._private_jobs');
    // A policy would wait for the worker's transaction.
    await migrate(url, { logins: { bot: 'bailiff_bot', web: 'bailiff_web' } });
    await worker.query('COMMIT');
    worker.release();
    await migrate(url, { logins: { bot: 'bailiff_web', web: 'bailiff_bot' } });
    expect(await rights()).toEqual(before.map((row) => ({ ...row, roles: '{bailiff_web}' })));
  } finally {
    await migrated.drop();
  }
});

test('an update with the address of the owner alone gives the logins what the new release needs', async () => {
  const migrated = await createTestDatabase();
  const bot = new pg.Client(migrated.processUrls.bot);
  const web = new pg.Client(migrated.processUrls.web);
  try {
    const { url, database } = migrated;
    await Promise.all([bot.connect(), web.connect()]);
    // As migrations leave it: what is new has no rights of its own, and a function is for everybody.
    await database.pool.query(
      `CREATE TABLE later (text text); DROP FUNCTION forget_person; DROP FUNCTION vote_on_appeal;
       GRANT CREATE ON SCHEMA public TO bailiff_bot`,
    );
    // Somebody else's, on which the owner has no right.
    await bot.query('CREATE TABLE cases_old (text text)');
    await migrate(url, { release: '9.9.9' });
    await bot.query("INSERT INTO later VALUES ('a row')");
    expect((await web.query('SELECT text FROM later')).rows).toEqual([{ text: 'a row' }]);
    await expect(web.query('DELETE FROM later')).rejects.toThrow('permission denied for table later');
    await expect(web.query("SELECT forget_person('1')")).rejects.toThrow(
      'permission denied for function forget_person',
    );
  } finally {
    await Promise.all([bot.end(), web.end()]);
    await migrated.drop();
  }
});

test('an update gives no rights to a login that is gone, or that owns the tables by now', async () => {
  const migrated = await createTestDatabase();
  try {
    const { url, database } = migrated;
    const recorded = async () =>
      (await database.pool.query('SELECT login FROM database_logins ORDER BY part')).rows;
    await database.pool.query("UPDATE database_logins SET login = 'gone' WHERE part = 'web'");
    await migrate(url, { release: '9.9.8' });
    expect(await recorded()).toEqual([{ login: 'bailiff_bot' }, { login: 'gone' }]);
    await database.pool.query("UPDATE database_logins SET login = current_user WHERE part = 'web'");
    await migrate(url, { release: '9.9.9' });
    // The owner can still use them.
    expect((await database.pool.query('UPDATE signing_secret SET secret = secret')).rowCount).toBe(1);
  } finally {
    await migrated.drop();
  }
});

test('a process of an earlier release that starts late changes no rights', async () => {
  const migrated = await createTestDatabase();
  try {
    const { url, database } = migrated;
    const logins = { bot: 'bailiff_bot', web: 'bailiff_web' };
    // The later release has the same SQL files, but gives other rights.
    expect(await migrate(url, { logins, release: '9.9.9' })).toEqual([]);
    await database.pool.query(
      `CREATE FUNCTION later() RETURNS int LANGUAGE sql RETURN 1;
       REVOKE EXECUTE ON FUNCTION later FROM PUBLIC;
       GRANT EXECUTE ON FUNCTION later TO bailiff_web;
       CREATE TABLE later_secrets (secret text);
       GRANT UPDATE (text) ON notes TO bailiff_web;
       DROP FUNCTION vote_on_appeal`,
    );
    const rights = async () => {
      const { rows } = await database.pool.query(
        `SELECT oid::regclass::text AS name, relacl::text AS rights FROM pg_class WHERE relnamespace = 'public'::regnamespace
         UNION ALL SELECT attrelid::regclass || '.' || attname, attacl::text FROM pg_attribute WHERE attacl IS NOT NULL
         UNION ALL SELECT oid::regprocedure::text, proacl::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace
         ORDER BY 1`,
      );
      return rows;
    };
    const given = await rights();
    expect(await migrate(url, { logins })).toEqual([]);
    expect(await rights()).toEqual(given);
    await expect(migrate(url, { logins: { ...logins, web: 'someone_else' } })).rejects.toThrow(
      /later release .* no rights to the logins bailiff_bot and someone_else.* Start that release/,
    );
    expect(await rights()).toEqual(given);
  } finally {
    await migrated.drop();
  }
});

test('a process that has migrated can end at once', async () => {
  const program = `import { migrate } from ${JSON.stringify(MIGRATE)};
    const applied = await migrate(process.env.DATABASE_URL);
    const left = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout');
    console.log(JSON.stringify({ applied: applied.length > 0, left }));
    process.exit();`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    env: { ...process.env, DATABASE_URL: db.url },
  });
  expect(JSON.parse(stdout)).toEqual({ applied: true, left: [] });
});
