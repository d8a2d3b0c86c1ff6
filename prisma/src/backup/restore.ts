import { join } from 'node:path';
import type pg from 'pg';
import { migrate, readMigrations, UNFINISHED_RESTORE } from '../migrate.ts';
import { PRISMA_DIRECTORY } from '../paths.ts';
import { clientTo } from '../primary.ts';
import { copyIn } from './copy.ts';
import { BackupError, type BackupHeader, type BackupTable, JOBS, readBackupFile } from './file.ts';
import { type Columns, columnsIn, LEFT_OUT, SAME_TEXT, unknownColumns } from './tables.ts';

/** What was restored. */
export interface Restored {
  readonly header: BackupHeader;
  readonly rows: number;
  /** Tables and columns of the file that are not Bailiff's, and that the database does not get. */
  readonly leftOut: readonly string[];
}

/**
 * Reads a whole file and changes nothing.
 *
 * @param signal ends it, as an error would
 * @throws BackupError if it cannot be restored: it is cut, damaged, or of a later release
 */
export async function checkBackup(path: string, signal?: AbortSignal): Promise<BackupHeader> {
  let found: BackupHeader | undefined;
  await readBackupFile(
    path,
    async (header) => {
      found = header;
      const ours = new Set(
        (await readMigrations(join(PRISMA_DIRECTORY, 'migrations'))).map(({ name }) => name),
      );
      const unknown = header.migrations.filter((name) => !ours.has(name));
      if (unknown.length === 0) return;
      throw new BackupError(
        `${path} is a backup of release ${header.release}, which is later than this one (it has ${unknown.join(', ')}): ` +
          'update Bailiff first.',
      );
    },
    async (_table, rows) => readPast(rows),
    signal,
  );
  if (found === undefined) throw new BackupError(`${path} is no backup of Bailiff.`);
  return found;
}

async function readPast(rows: AsyncIterable<Buffer>): Promise<undefined> {
  for await (const _chunk of rows);
}

/**
 * Fills an empty database with the content of a file, sessions of the dashboard left out: tables as they were in the
 * backup's release, then the data in one transaction, then what this release changes of them. Until all that is done,
 * Bailiff does not start on it.
 *
 * @param databaseUrl of the tables' owner to be
 * @param signal ends it, as an error would
 * @throws BackupError if the database is not empty, or the file cannot be used
 */
export async function restoreBackup(
  databaseUrl: string,
  path: string,
  signal?: AbortSignal,
): Promise<Restored> {
  const header = await checkBackup(path, signal);
  const client = clientTo(databaseUrl, {
    application_name: 'bailiff restore',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  });
  client.on('error', () => {});
  await client.connect();
  const stop = () => void client.end();
  signal?.addEventListener('abort', stop);
  try {
    signal?.throwIfAborted();
    await refuseUsed(client);
    await client.query(`CREATE SCHEMA ${UNFINISHED_RESTORE}`);
    await migrate(databaseUrl, { restoring: { only: header.migrations } });
    const loaded = await load(client, path, header, signal);
    await migrate(databaseUrl, { restoring: {} });
    await client.query('SELECT end_consents(), settle_running_as_unknown()');
    await client.query(`DROP SCHEMA ${UNFINISHED_RESTORE}; ANALYZE`);
    return { header, ...loaded };
  } finally {
    signal?.removeEventListener('abort', stop);
    await client.end();
  }
}

async function refuseUsed(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ database: string; used: boolean }>(
    `SELECT current_database() AS database, to_regnamespace('graphile_worker') IS NOT NULL
       OR to_regnamespace($1) IS NOT NULL
       OR EXISTS (SELECT FROM pg_class WHERE relnamespace = to_regnamespace(current_schema())) AS used`,
    [UNFINISHED_RESTORE],
  );
  if (rows[0]?.used === false) return;
  throw new BackupError(`The database ${rows[0]?.database} is not empty: make a new one for the backup.`);
}

/**
 * The data, in one transaction. The tables have no triggers yet: what they would do is in the backup already. They are all
 * that the migrations of the backup make, so what the file has besides is not Bailiff's.
 */
async function load(
  client: pg.Client,
  path: string,
  { audit_days }: BackupHeader,
  signal: AbortSignal | undefined,
): Promise<Omit<Restored, 'header'>> {
  await client.query(`${SAME_TEXT}; BEGIN`);
  // Migrations write rows too, such as a secret.
  await client.query(
    `DO $$ BEGIN EXECUTE (SELECT 'TRUNCATE ' || string_agg(oid::regclass::text, ', ') FROM pg_class
       WHERE relnamespace = to_regnamespace(current_schema()) AND relkind IN ('r', 'p') AND NOT relispartition
         AND relname <> ALL (string_to_array('${LEFT_OUT.join()}', ','))); END $$`,
  );
  for (const day of audit_days) await addAuditDay(client, day);
  const own = await columnsIn(client);
  const leftOut: string[] = [];
  let rows = 0;
  await readBackupFile(
    path,
    async () => {},
    async (table, content) => {
      const loaded = await loadTable(client, table, content, own, leftOut);
      rows += loaded ?? 0;
      return loaded;
    },
    signal,
  );
  // One that was ended since the backup would be open again for whoever has its cookie.
  await client.query('DELETE FROM sessions; COMMIT');
  return { rows, leftOut: leftOut.sort() };
}

/** @returns how many rows the database got; undefined if they are not Bailiff's, which is added to `leftOut` */
async function loadTable(
  client: pg.Client,
  table: BackupTable,
  rows: AsyncIterable<Buffer>,
  own: Columns,
  leftOut: string[],
): Promise<number | undefined> {
  if (table.table === JOBS) return addJobs(client, table, rows);
  const columns = own.get(table.table);
  if (columns === undefined) {
    leftOut.push(table.table);
    return readPast(rows);
  }
  const others = unknownColumns(table, columns);
  leftOut.push(...others.map((name) => `${table.table}.${name}`));
  return others.length === 0 ? copyTable(client, table, rows) : copyWithout(client, table, others, rows);
}

async function addAuditDay(client: pg.Client, day: string): Promise<void> {
  const name = client.escapeIdentifier(`audit_reads_${day}`);
  await client.query(
    `DO $$ BEGIN EXECUTE format('CREATE TABLE ${name} PARTITION OF audit_reads FOR VALUES FROM (%L) TO (%L)',
       ${client.escapeLiteral(day)}::date::timestamp AT TIME ZONE 'UTC',
       (${client.escapeLiteral(day)}::date + 1)::timestamp AT TIME ZONE 'UTC'); END $$`,
  );
}

function copyTable(
  client: pg.Client,
  { table, columns }: BackupTable,
  rows: AsyncIterable<Buffer>,
): Promise<number> {
  const names = columns.map((name) => client.escapeIdentifier(name)).join(', ');
  return copyIn(client, `COPY ${client.escapeIdentifier(table)} (${names}) FROM STDIN`, rows);
}

/** As `copyTable`, without some of the columns in the file. */
async function copyWithout(
  client: pg.Client,
  { table, columns }: BackupTable,
  others: readonly string[],
  rows: AsyncIterable<Buffer>,
): Promise<number> {
  const quoted = (names: readonly string[]) => names.map((name) => client.escapeIdentifier(name));
  const kept = quoted(columns.filter((name) => !others.includes(name))).join(', ');
  const target = client.escapeIdentifier(table);
  await client.query(`CREATE TEMPORARY TABLE wider AS SELECT ${kept} FROM ${target} WHERE false`);
  await client.query(`ALTER TABLE wider ${quoted(others).map((name) => `ADD ${name} text`)}`);
  const copied = await copyTable(client, { table: 'wider', columns }, rows);
  await client.query(`INSERT INTO ${target} (${kept}) SELECT ${kept} FROM wider; DROP TABLE wider`);
  return copied;
}

/** Through the queue's own function, because its tables are another package's. */
async function addJobs(
  client: pg.Client,
  { columns }: BackupTable,
  rows: AsyncIterable<Buffer>,
): Promise<number> {
  await client.query(
    `CREATE TEMPORARY TABLE waiting_jobs (identifier text, payload json, queue_name text, run_at timestamptz,
       max_attempts int, job_key text, priority int, flags text[]) ON COMMIT DROP`,
  );
  const added = await copyTable(client, { table: 'waiting_jobs', columns }, rows);
  await client.query(
    `SELECT graphile_worker.add_job(identifier, payload, queue_name, run_at, max_attempts, job_key, priority,
       nullif(flags, '{}')) FROM waiting_jobs`,
  );
  return added;
}
