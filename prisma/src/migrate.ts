import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MigrationList } from '@prisma/schema-engine-wasm';
import { Logger, runMigrations } from 'graphile-worker';
import pg from 'pg';
import {
  type AppliedSql,
  applyEarlySql,
  applySql,
  isSqlApplied,
  readAppliedSql,
  tableExists,
} from './apply-sql.ts';
import { explainFailed, MigrationAdapter } from './migration-adapter.ts';
import { LOCK_TIMEOUT_SECONDS, refuseReadOnly, takeLock } from './migration-lock.ts';
import { PRISMA_DIRECTORY, PRODUCT_MANIFEST_PATH } from './paths.ts';
import { connectingTo } from './primary.ts';
import { type Logins, readLogins, refuseOtherLogins } from './privileges.ts';
import { NO_FILTERS, withSchemaEngine } from './schema-engine.ts';
import { readSqlFiles, type SqlFile } from './sql-files.ts';
import { TRY_FOR_MS, type Waiting, type WaitOptions } from './when-free.ts';

export interface MigrateOptions extends WaitOptions {
  /** How long to wait for another process that is migrating the same database. Default: eleven minutes. */
  lockTimeoutSeconds?: number;
  /** Holds migrations/, functions/, views/ and triggers/. Default: Bailiff's own. */
  directory?: string;
  /** The logins that get what their processes need. Default: those that got it before, if any. */
  logins?: Logins;
  /** Version of the product, as in package.json. Default: the one this process runs. */
  release?: string;
  /** Who calls is restoring a backup into this database, which nobody else may change until that is done. */
  restoring?: {
    /** The migrations to apply, without functions, views and triggers. Default: everything. */
    only?: readonly string[];
  };
}

/** A schema that a database has while a backup is being restored into it. */
export const UNFINISHED_RESTORE = 'bailiff_unfinished_restore';

/** A migration on disk. */
export interface Migration {
  name: string;
  sql: string;
  checksum: string;
}

interface AppliedMigration {
  name: string;
  checksum: string;
  finished: boolean;
}

/**
 * Brings a database up to date: migrations, graphile-worker's tables, then functions, views and triggers. Any number of
 * processes may call it at once; one works, the others wait and find nothing left to do. One that has nothing to do from
 * the beginning does not wait.
 *
 * A process of an earlier release leaves functions, views, triggers and rights as they are: during a rolling update it
 * may start after a process of the later one.
 *
 * A login that does not own the tables applies nothing: it only makes sure that the owner has applied everything.
 *
 * @returns names of what this call applied: migrations and SQL files, in the order of application
 * @throws Error when such a login finds the database behind its release, when an applied migration was edited, when a migration or an SQL file fails (nothing of it remains), when
 * a restore did not come to its end, when the database belongs to another line of history, or when the lock is not free within `lockTimeoutSeconds`
 */
export async function migrate(databaseUrl: string, options: MigrateOptions = {}): Promise<string[]> {
  const {
    lockTimeoutSeconds = LOCK_TIMEOUT_SECONDS,
    directory = PRISMA_DIRECTORY,
    restoring,
    logins,
  } = options;
  const migrationsDirectory = join(directory, 'migrations');
  const [migrations, files, release] = await Promise.all([
    readMigrations(migrationsDirectory, restoring?.only),
    readSqlFiles(directory),
    options.release ?? productRelease(),
  ]);
  // One connection that is never replaced, because the session lock belongs to it.
  const pool = new pg.Pool({
    ...connectingTo(databaseUrl),
    application_name: 'bailiff migrate',
    max: 1,
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  });
  // The query that needs a lost connection fails, so the error need not be reported here too.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  try {
    if (!(await mayChangeTables(pool))) {
      await refuseOutdated(pool, { migrations, files, release });
      return [];
    }
    if (logins === undefined && (await isUpToDate(pool, { migrations, files, release }))) return [];
    await refuseReadOnly(pool);
    await takeLock(pool, lockTimeoutSeconds, options);
    const known = await readApplied(pool);
    const refusal = await refusalOf(pool, migrations, known, restoring !== undefined);
    if (refusal !== undefined) throw new Error(refusal);
    const recorded = await readAppliedSql(pool);
    const ownsSql = !isAhead({ migrations, release }, known, recorded);
    const { signal, onWait } = options;
    const waiting = { signal, onWait, left: { ms: TRY_FOR_MS } };
    const early = ownsSql ? await applyEarlySql(pool, { files, recorded, ...waiting }) : [];
    const applied = await applyPending(pool, { migrations, known, directory: migrationsDirectory }, waiting);
    await runMigrations({ pgPool: pool, logger: silentLogger });
    const late =
      ownsSql && restoring?.only === undefined
        ? await applySql(pool, {
            files,
            // Migrations have changed it.
            recorded: await readAppliedSql(pool),
            release,
            early,
            logins: logins ?? (await loginsOf(pool)),
            ...waiting,
          })
        : [];
    if (logins !== undefined && !ownsSql) await refuseOtherLogins(pool, logins);
    return [...early, ...applied, ...late];
  } finally {
    await pool.end();
  }
}

/** The logins that a database has on record. */
async function loginsOf(pool: pg.Pool): Promise<Logins | undefined> {
  return (await tableExists(pool, 'database_logins')) ? readLogins(pool) : undefined;
}

/** Whether this login may bring a database up to date. */
export async function mayChangeTables(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ may: boolean }>(
    "SELECT has_schema_privilege(current_schema(), 'CREATE') AS may",
  );
  return rows[0]?.may ?? false;
}

async function refuseOutdated(pool: pg.Pool, needs: Needs): Promise<void> {
  const missing = await missingIn(pool, needs);
  if (missing.length === 0) return;
  throw new Error(
    `The database lacks ${missing.join(', ')} of this release, and this login may not change tables. ` +
      "Run npm run migrate with the owner's DATABASE_URL, then start again.",
  );
}

/** What a release needs of a database. */
interface Needs {
  readonly migrations: Migration[];
  readonly files: SqlFile[];
  readonly release: string;
}

/** What this release needs of a database. */
export async function readNeeds(): Promise<Needs> {
  const [migrations, files, release] = await Promise.all([
    readMigrations(join(PRISMA_DIRECTORY, 'migrations')),
    readSqlFiles(PRISMA_DIRECTORY),
    productRelease(),
  ]);
  return { migrations, files, release };
}

/**
 * Names of the migrations and SQL files that a database lacks, or has as they were in an earlier release. One that a later
 * release brought up to date lacks no SQL file: that release has kept what the one before it uses.
 */
export async function missingIn(pool: pg.Pool, { migrations, files, release }: Needs): Promise<string[]> {
  const known = await readApplied(pool);
  const recorded = await readAppliedSql(pool);
  const applied = new Map(recorded.map(({ name, checksum }) => [name, checksum]));
  return [
    ...pendingOf(migrations, known),
    ...(isAhead({ migrations, release }, known, recorded)
      ? []
      : files.filter(({ name, checksum }) => applied.get(name) !== checksum)),
  ].map(({ name }) => name);
}

/** Whether a database can be used and this release has nothing to apply to it, as when only a process started again. */
async function isUpToDate(pool: pg.Pool, { migrations, files, release }: Needs): Promise<boolean> {
  const known = await readApplied(pool);
  if (pendingOf(migrations, known).length > 0) return false;
  if ((await refusalOf(pool, migrations, known)) !== undefined) return false;
  const recorded = await readAppliedSql(pool);
  return (
    isAhead({ migrations, release }, known, recorded) || isSqlApplied(pool, { files, recorded, release })
  );
}

/** Why a database cannot be used by any release; undefined if it can. */
export async function refusalOf(
  pool: pg.Pool,
  migrations: Migration[],
  known: AppliedMigration[],
  isRestoring = false,
): Promise<string | undefined> {
  // Its tables may be there without their rows.
  const { rowCount } = await pool.query('SELECT FROM pg_namespace WHERE nspname = $1', [UNFINISHED_RESTORE]);
  if (rowCount !== 0 && !isRestoring) {
    return (
      'A restore into this database did not come to its end. Make an empty database (or remove the folder of the embedded ' +
      'one) and restore the backup again.'
    );
  }
  const checksums = new Map(migrations.map(({ name, checksum }) => [name, checksum]));
  const edited = known.find(
    ({ name, checksum, finished }) => finished && (checksums.get(name) ?? checksum) !== checksum,
  );
  if (edited === undefined) return undefined;
  return (
    `Migration ${edited.name} was changed after it had been applied to this database. ` +
    `Restore prisma/migrations/${edited.name}/migration.sql from version control ` +
    'and put the change into a new migration: npm run migration -- <name>'
  );
}

export async function productRelease(): Promise<string> {
  const { version } = JSON.parse(await readFile(PRODUCT_MANIFEST_PATH, 'utf8')) as { version: string };
  return version;
}

/** Whether a later release than ours has brought a database up to date. */
function isAhead(
  { migrations, release }: Pick<Needs, 'migrations' | 'release'>,
  known: AppliedMigration[],
  recorded: AppliedSql[],
): boolean {
  const isLater = (other: string) => other.localeCompare(release, 'en', { numeric: true }) > 0;
  return recorded.some((file) => isLater(file.release)) || unknownTo(migrations, known).length > 0;
}

/**
 * The migration folders of a directory, oldest first; empty when the directory does not exist.
 *
 * @param only names of those to read. Default: all
 */
export async function readMigrations(directory: string, only?: readonly string[]): Promise<Migration[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const names = entries
    .filter((entry) => entry.isDirectory() && (only?.includes(entry.name) ?? true))
    .map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(join(directory, name, 'migration.sql'), 'utf8').catch((cause: unknown) => {
        throw new Error(
          `Migration ${name} has no readable migration.sql in ${directory}. Restore it or remove the folder.`,
          { cause },
        );
      });
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

async function applyPending(
  pool: pg.Pool,
  { migrations, known, directory }: { migrations: Migration[]; known: AppliedMigration[]; directory: string },
  waiting: Waiting,
): Promise<string[]> {
  const pending = pendingOf(migrations, known);
  if (pending.length === 0) return [];
  refuseDivergence(pending, unknownTo(migrations, known));

  const adapter = new MigrationAdapter(pool, waiting);
  return withSchemaEngine(adapter, async (engine) => {
    // A script is one transaction with the record of its end: an attempt without one left nothing behind.
    for (const { name } of known.filter((migration) => !migration.finished)) {
      await engine.markMigrationRolledBack({ migrationName: name });
    }
    try {
      const { appliedMigrationNames } = await engine.applyMigrations({
        migrationsList: toMigrationList(migrations, directory),
        filters: NO_FILTERS,
      });
      return appliedMigrationNames;
    } catch (error) {
      waiting.signal?.throwIfAborted();
      throw (await explainFailure(pool, adapter.lastScriptError)) ?? error;
    }
  });
}

/** What `_prisma_migrations` says, in the order of the names, attempts that were rolled back left out. */
export async function readApplied(pool: pg.Pool | pg.ClientBase): Promise<AppliedMigration[]> {
  if (!(await tableExists(pool, '_prisma_migrations'))) return [];
  const { rows } = await pool.query<AppliedMigration>(
    `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished
       FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY migration_name, started_at`,
  );
  return rows;
}

function pendingOf(migrations: Migration[], known: AppliedMigration[]): Migration[] {
  const finished = new Set(known.filter((migration) => migration.finished).map(({ name }) => name));
  return migrations.filter(({ name }) => !finished.has(name));
}

/** Names of finished migrations that this version does not have: those of a later one, or of another history. */
export function unknownTo(migrations: Migration[], known: AppliedMigration[]): string[] {
  const ours = new Set(migrations.map(({ name }) => name));
  return known.filter(({ name, finished }) => finished && !ours.has(name)).map(({ name }) => name);
}

/**
 * Throws if the database has a different history of migrations. It may be ahead of this version, as in a rolling
 * update.
 */
function refuseDivergence(pending: Migration[], foreign: string[]): void {
  if (foreign.length === 0) return;
  throw new Error(
    `This database has migrations this version does not know (${foreign.join(', ')}) and lacks others ` +
      `(${pending.map(({ name }) => name).join(', ')}). Point DATABASE_URL at the right database or start the version it belongs to.`,
  );
}

async function explainFailure(pool: pg.Pool, cause: Error | undefined): Promise<Error | undefined> {
  const failed = (await readApplied(pool)).find((migration) => !migration.finished);
  if (failed === undefined || cause === undefined) return undefined;
  return explainFailed(failed.name, cause);
}

function toMigrationList(migrations: Migration[], directory: string): MigrationList {
  return {
    baseDir: directory,
    lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
    shadowDbInitScript: '',
    migrationDirectories: migrations.map(({ name, sql }) => ({
      path: name,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: sql } },
    })),
  };
}

const silentLogger = new Logger(() => () => {});
