import pg from 'pg';
import { grantPrivileges, type Logins } from './privileges.ts';
import type { SqlFile } from './sql-files.ts';
import { isBusy, LOCK_TIMEOUT_MS, type Waiting, whenFree } from './when-free.ts';

/** The SQL files that a database has, as recorded by the process that applied them. */
export interface AppliedSql {
  name: string;
  checksum: string;
  position: number;
  /** Version of the product. */
  release: string;
}

export interface ApplySqlOptions extends Waiting {
  /** Every file, in the order of `readSqlFiles`. */
  files: SqlFile[];
  /** The result of `readAppliedSql`. */
  recorded: AppliedSql[];
  release: string;
  /** Names of the files that `applyEarlySql` has applied. */
  early: string[];
  /** The logins that get what their processes need of it. */
  logins?: Logins | undefined;
}

/** An object in the database that belongs to a file, and the statement that drops it. */
interface SqlObject {
  name: string;
  drop: string;
}

const UNDEFINED = new Set(['42P01', '42883', '42704']);
const DEPENDENTS_EXIST = '2BP01';
/** What is waiting, in the line about it. */
const CHANGE = 'The update of functions, views and triggers';

/** The files recorded as applied; empty for a new database. */
export async function readAppliedSql(pool: pg.Pool): Promise<AppliedSql[]> {
  if (!(await tableExists(pool, '_bailiff_sql'))) return [];
  const { rows } = await pool.query<AppliedSql>('SELECT name, checksum, position, release FROM _bailiff_sql');
  return rows;
}

/**
 * Whether a table exists. Checked before reading it, because a failed query would cost the pool its connection, and
 * with it the lock.
 */
export async function tableExists(pool: pg.Pool | pg.ClientBase, name: string): Promise<boolean> {
  const { rows } = await pool.query<{ exists: boolean }>('SELECT to_regclass($1) IS NOT NULL AS exists', [
    name,
  ]);
  return rows[0]?.exists ?? false;
}

/**
 * Applies the files that tables need, each of which has changed or whose object is missing. These cannot be dropped, so
 * a new signature has to be a new function. They are recorded with the rest: Prisma wants to find no table before the
 * first migration.
 *
 * @returns names of the files applied
 */
export async function applyEarlySql(
  pool: pg.Pool,
  { files, recorded, ...waiting }: Pick<ApplySqlOptions, 'files' | 'recorded'> & Waiting,
): Promise<string[]> {
  const early = files.filter((file) => file.isEarly);
  const changed = await changedFiles(pool, recorded, early);
  if (changed.length === 0) return [];
  return inTransaction(pool, waiting, async (client) => {
    for (const file of changed) await applyFile(client, file);
    return changed.map(({ name }) => name);
  });
}

/**
 * Makes functions, views and triggers equal to the files, in one transaction: applies each file that has changed or
 * whose object is missing, and drops the objects of files that were removed. Where a change cannot be made in place (a
 * new signature, other columns of a view), everything is dropped in reverse order and made again. Then gives the logins
 * their rights: what was made has none of its own, and a function is for everybody.
 *
 * @returns names of the files applied or removed
 * @throws Error that names the file and says what to do; then nothing of the change remains
 */
export async function applySql(pool: pg.Pool, options: ApplySqlOptions): Promise<string[]> {
  const { files, recorded, release, early, logins, ...waiting } = options;
  const late = files.filter((file) => !file.isEarly);
  const changed = await changedFiles(pool, recorded, late);
  const removed = recorded.filter(({ name }) => !files.some((file) => file.name === name));
  // A release with the same files is recorded too: the one before it must not change what it gave the logins.
  const isRecorded = recorded.every((entry) => entry.release === release);
  const isApplied = isRecorded && changed.length + removed.length + early.length === 0;
  if (isApplied && logins === undefined) return [];

  return inTransaction(pool, waiting, async (client) => {
    let applied = changed;
    await client.query('SAVEPOINT unchanged');
    try {
      for (const file of changed) await applyFile(client, file);
      await dropAll(client, removed);
    } catch (error) {
      if (!(error instanceof SqlFileError)) throw error;
      await client.query('ROLLBACK TO unchanged');
      const kept = new Set(files.filter((file) => file.isEarly).map(({ name }) => name));
      const dropped = recorded.filter(({ name }) => !kept.has(name));
      await dropAll(client, dropped);
      for (const file of late) await applyFile(client, file);
      applied = late;
    }
    const names = applied.map(({ name }) => name);
    if (!isApplied) await record(client, files, [...early, ...names], release);
    if (logins !== undefined) await grantPrivileges(client, logins);
    return [...names, ...removed.map(({ name }) => name)];
  });
}

/** Whether neither `applyEarlySql` nor `applySql` has anything to do. */
export async function isSqlApplied(
  pool: pg.Pool,
  { files, recorded, release }: Pick<ApplySqlOptions, 'files' | 'recorded' | 'release'>,
): Promise<boolean> {
  const isRecorded = recorded.length === files.length && recorded.every((entry) => entry.release === release);
  return isRecorded && (await changedFiles(pool, recorded, files)).length === 0;
}

/** The error for a file that could not be applied: one sentence with its name and what to do. */
class SqlFileError extends Error {}

/**
 * Runs `work` in a transaction in which functions keep a search path without the caller's temporary tables. While others
 * use a table that it changes, it is rolled back and run again.
 */
async function inTransaction<Result>(
  pool: pg.Pool,
  waiting: Waiting,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const change = { name: CHANGE, pid: rows[0]?.pid ?? 0, settings: pool.options };
    return await whenFree(change, waiting, () => attempt(client, work));
  } finally {
    client.release();
  }
}

async function attempt<Result>(
  client: pg.PoolClient,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  try {
    await client.query(`BEGIN; SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await client.query(
      "SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true)",
    );
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

async function changedFiles(pool: pg.Pool, recorded: AppliedSql[], files: SqlFile[]): Promise<SqlFile[]> {
  const checksums = new Map(recorded.map(({ name, checksum }) => [name, checksum]));
  const present = new Set((await objectsOf(pool, files)).map(({ name }) => name));
  return files.filter(({ name, checksum }) => checksums.get(name) !== checksum || !present.has(name));
}

async function applyFile(client: pg.PoolClient, file: SqlFile): Promise<void> {
  try {
    // The file of a table may have several triggers, and one may have been removed from it.
    if (file.kind === 'triggers')
      for (const { drop } of await objectsOf(client, [file])) await client.query(drop);
    await client.query(file.sql);
  } catch (cause) {
    throw explain(file, cause, 'applied');
  }
  const objects = await objectsOf(client, [file]);
  if (objects.length === 0 || (objects.length > 1 && file.kind !== 'triggers')) {
    const expected = file.kind === 'triggers' ? 'triggers on' : `one of the ${file.kind}, called`;
    throw new SqlFileError(
      `prisma/${file.name}.sql makes ${objects.length} objects, but has to make ${expected} ` +
        `${file.name.split('/')[1]}. Correct the file and start again.`,
    );
  }
}

/** Drops in reverse order of application, so that nothing uses a dropped object. */
async function dropAll(client: pg.PoolClient, recorded: AppliedSql[]): Promise<void> {
  for (const entry of recorded.toSorted((a, b) => b.position - a.position)) {
    for (const { drop } of await objectsOf(client, [entry])) {
      try {
        await client.query(drop);
      } catch (cause) {
        throw explain(entry, cause, 'dropped');
      }
    }
  }
}

/** Triggers of partitions belong to the file of the whole table. Those PostgreSQL makes by itself are left out. */
async function objectsOf(client: pg.Pool | pg.PoolClient, files: { name: string }[]): Promise<SqlObject[]> {
  const { rows } = await client.query<SqlObject>(
    `WITH object AS (
       SELECT 'functions/' || proname AS name, format('DROP ROUTINE %s', oid::regprocedure) AS drop
       FROM pg_proc WHERE pronamespace = to_regnamespace(current_schema())
       UNION ALL
       SELECT 'views/' || relname, format('DROP VIEW %s', oid::regclass)
       FROM pg_class WHERE relkind = 'v' AND relnamespace = to_regnamespace(current_schema())
       UNION ALL
       SELECT 'triggers/' || c.relname, format('DROP TRIGGER %I ON %s', t.tgname, t.tgrelid::regclass)
       FROM pg_trigger t JOIN pg_class c ON c.oid = coalesce(pg_partition_root(t.tgrelid), t.tgrelid)
       WHERE NOT t.tgisinternal AND t.tgparentid = 0 AND c.relnamespace = to_regnamespace(current_schema())
     )
     SELECT name, drop FROM object WHERE name = ANY ($1)`,
    [files.map(({ name }) => name)],
  );
  return rows;
}

async function record(
  client: pg.PoolClient,
  files: SqlFile[],
  applied: string[],
  release: string,
): Promise<void> {
  await client.query(
    `CREATE TABLE IF NOT EXISTS _bailiff_sql (
       name text PRIMARY KEY, checksum text NOT NULL, position int NOT NULL, release text NOT NULL,
       applied_at timestamptz NOT NULL DEFAULT now())`,
  );
  const names = files.map(({ name }) => name);
  await client.query('DELETE FROM _bailiff_sql WHERE name <> ALL ($1)', [names]);
  await client.query(
    `INSERT INTO _bailiff_sql AS known (name, checksum, position, release)
     SELECT name, checksum, position, $3
     FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS file (name, checksum, position)
     ON CONFLICT (name) DO UPDATE
     SET checksum = excluded.checksum, position = excluded.position, release = excluded.release,
         applied_at = CASE WHEN known.name = ANY ($4) THEN now() ELSE known.applied_at END`,
    [names, files.map(({ checksum }) => checksum), release, applied],
  );
}

function explain({ name }: { name: string }, cause: unknown, what: 'applied' | 'dropped'): Error {
  if (!(cause instanceof pg.DatabaseError)) return cause instanceof Error ? cause : new Error(String(cause));
  const code = cause.code ?? '';
  const reason = [cause.message, cause.detail].filter(Boolean).join('; ').replaceAll('\n', '; ');
  const failure = `prisma/${name}.sql could not be ${what} and nothing of the change remains: ${reason}.`;
  if (isBusy(cause)) {
    return new Error(`${failure} Others use its tables: start again when they have ended.`, { cause });
  }
  if (code === DEPENDENTS_EXIST) {
    return new SqlFileError(`${failure} Change what uses it in the same release, or in a migration.`);
  }
  const hint = UNDEFINED.has(code)
    ? 'If it needs what another file makes, name that file in it, for example "-- after: functions/new_id". Otherwise correct'
    : 'Correct';
  return new SqlFileError(`${failure} ${hint} the file and start again.`, { cause });
}
