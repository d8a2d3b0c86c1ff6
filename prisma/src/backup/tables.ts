import type pg from 'pg';
import type { BackupTable } from './file.ts';

/**
 * Tables that a backup leaves out: what the migrations and SQL files of a release write themselves, and the names of a
 * server's logins, which belong to the server.
 */
export const LEFT_OUT = ['_prisma_migrations', '_bailiff_sql', 'database_logins'];

/** Sessions that read and write the text format alike. */
export const SAME_TEXT = `SET client_encoding = 'UTF8'; SET timezone = 'UTC'; SET datestyle = 'ISO'; SET intervalstyle = 'iso_8601';
  SET extra_float_digits = 3; SET bytea_output = 'hex'; SET statement_timeout = 0; SET search_path FROM CURRENT`;

/**
 * The tables of Bailiff that have rows of their own to keep, a partitioned one as one table. Those that rows of others
 * refer to come first.
 *
 * @throws Error if tables refer to each other in a circle
 */
export async function tablesOf(client: pg.ClientBase): Promise<BackupTable[]> {
  const { rows: tables } = await client.query<{ oid: number; table: string; columns: string[] }>(
    `SELECT c.oid::int, c.relname AS table,
       ARRAY(SELECT attname::text FROM pg_attribute
             WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum) AS columns
     FROM pg_class c
     WHERE c.relnamespace = to_regnamespace(current_schema()) AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND c.relname <> ALL ($1) ORDER BY c.relname`,
    [LEFT_OUT],
  );
  const { rows: references } = await client.query<{ from: number; to: number }>(
    `SELECT DISTINCT coalesce(pg_partition_root(conrelid)::oid, conrelid)::int AS "from",
       coalesce(pg_partition_root(confrelid)::oid, confrelid)::int AS "to"
     FROM pg_constraint WHERE contype = 'f'`,
  );
  const ordered: typeof tables = [];
  while (ordered.length < tables.length) {
    const left = tables.filter((table) => !ordered.includes(table));
    const isLeft = (oid: number) => left.some((table) => table.oid === oid);
    const next = left.filter(
      ({ oid }) => !references.some(({ from, to }) => from === oid && to !== oid && isLeft(to)),
    );
    if (next.length === 0)
      throw new Error(`${left.map(({ table }) => table).join(', ')} refer to each other.`);
    ordered.push(...next);
  }
  return ordered.map(({ table, columns }) => ({ table, columns }));
}

/** The names of partitions of a day, such as `audit_reads_20261122`. */
export const AUDIT_DAYS = `SELECT right(relname, 8) AS day FROM pg_class
  WHERE relnamespace = to_regnamespace(current_schema()) AND relispartition AND relname ~ '^audit_reads_\\d{8}$' ORDER BY relname`;
