import type pg from 'pg';
import { productRelease, readApplied } from '../migrate.ts';
import { clientTo } from '../primary.ts';
import { copyOut } from './copy.ts';
import { BackupError, type BackupHeader, FORMAT, framed, JOBS, lineOf, writeBackupFile } from './file.ts';
import { AUDIT_DAYS, contentsOf, SAME_TEXT } from './tables.ts';

/** What a backup holds. */
export interface Taken {
  readonly tables: number;
  readonly rows: number;
  /** Tables, and columns such as `notes.colour`, that are not Bailiff's. */
  readonly leftOut: readonly string[];
}

/** The same, while it grows. */
type Taking = { -readonly [Name in keyof Taken]: Taken[Name] };

/** What a job needs to be added again. One that has failed too often stays behind. */
const WAITING_JOBS = `SELECT t.identifier, j.payload, q.queue_name, j.run_at, j.max_attempts, j.key AS job_key, j.priority,
    ARRAY(SELECT jsonb_object_keys(j.flags)) AS flags
  FROM graphile_worker._private_jobs j JOIN graphile_worker._private_tasks t ON t.id = j.task_id
  LEFT JOIN graphile_worker._private_job_queues q ON q.id = j.job_queue_id
  WHERE j.attempts < j.max_attempts OR j.locked_at IS NOT NULL ORDER BY j.id`;
const JOB_COLUMNS = [
  'identifier',
  'payload',
  'queue_name',
  'run_at',
  'max_attempts',
  'job_key',
  'priority',
  'flags',
];

/**
 * Writes all data of a database into a file, as it was at one moment. Others go on reading and writing meanwhile.
 *
 * @param databaseUrl of the tables' owner
 * @param signal ends it, as an error would
 * @throws BackupError if there is nothing of Bailiff in the database, or Error if such a file exists
 */
export async function takeBackup(
  databaseUrl: string,
  path: string,
  { servedDiscord, signal }: { servedDiscord: boolean; signal?: AbortSignal | undefined },
): Promise<Taken> {
  const client = clientTo(databaseUrl, {
    application_name: 'bailiff backup',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  });
  // The statement that needs a lost connection fails.
  client.on('error', () => {});
  await client.connect();
  const stop = () => void client.end();
  signal?.addEventListener('abort', stop);
  const taken: Taking = { tables: 0, rows: 0, leftOut: [] };
  try {
    await writeBackupFile(path, contentOf(client, servedDiscord, taken), () => taken.rows, signal);
    return taken;
  } finally {
    signal?.removeEventListener('abort', stop);
    await client.end();
  }
}

async function* contentOf(client: pg.Client, servedDiscord: boolean, taken: Taking): AsyncGenerator<Buffer> {
  await client.query(SAME_TEXT);
  const names = (await contentsOf(client)).tables.map(({ table }) => client.escapeIdentifier(table));
  if (names.length === 0) throw new BackupError('There is nothing of Bailiff in this database.');
  // The locks come before the snapshot, so that no table changes in between.
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  await client.query(`LOCK TABLE ${names.join(', ')} IN ACCESS SHARE MODE`);
  const { tables, others } = await contentsOf(client);
  taken.leftOut = others;
  yield lineOf(await headerOf(client, servedDiscord));
  const sources = [
    ...tables.map((table) => {
      const columns = table.columns.map((name) => client.escapeIdentifier(name)).join(', ');
      return { table, query: `SELECT ${columns} FROM ${client.escapeIdentifier(table.table)}` };
    }),
    { table: { table: JOBS, columns: JOB_COLUMNS }, query: WAITING_JOBS },
  ];
  for (const { table, query } of sources) {
    const rows = copyOut(client, `COPY (${query}) TO STDOUT`);
    yield* framed(table, rows);
    taken.tables += 1;
    taken.rows += rows.rows;
  }
  await client.query('COMMIT');
}

async function headerOf(client: pg.Client, servedDiscord: boolean): Promise<BackupHeader> {
  const { rows: now } = await client.query<{ at: Date }>('SELECT now() AS at');
  const { rows: days } = await client.query<{ day: string }>(AUDIT_DAYS);
  const applied = await readApplied(client);
  return {
    bailiff_backup: FORMAT,
    release: await productRelease(),
    migrations: applied.filter(({ finished }) => finished).map(({ name }) => name),
    audit_days: days.map(({ day }) => day),
    taken_at: (now[0]?.at ?? new Date()).toISOString(),
    served_discord: servedDiscord,
  };
}
