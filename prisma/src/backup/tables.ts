import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { readApplied, readMigrations } from '../migrate.ts';
import { PRISMA_DIRECTORY } from '../paths.ts';
import type { BackupTable } from './file.ts';

/** The tables of a schema, and the columns of each. */
export type Columns = ReadonlyMap<string, ReadonlySet<string>>;

/** What a database has of Bailiff. */
interface Contents {
  readonly tables: BackupTable[];
  /** Tables, and columns such as `notes.colour`, that no migration of Bailiff makes. */
  readonly others: string[];
}

const MIGRATIONS = join(PRISMA_DIRECTORY, 'migrations');

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
 * refer to come first. What is not Bailiff's is known only where exactly this release's migrations are applied; otherwise
 * everything counts as its own, so that nothing of another release is lost.
 *
 * @throws Error if tables refer to each other in a circle
 */
export async function contentsOf(client: pg.ClientBase): Promise<Contents> {
  const found = await tablesIn(client);
  const own = await ownColumns(client);
  if (own === undefined) return { tables: await inOrder(client, found), others: [] };
  const { taken, others } = separate(found, own);
  return { tables: await inOrder(client, taken), others };
}

/** Tables and columns that are in `own`, and the names of the others. */
function separate<Table extends BackupTable>(
  found: readonly Table[],
  own: Columns,
): { taken: Table[]; others: string[] } {
  const taken: Table[] = [];
  const others: string[] = [];
  for (const each of found) {
    const columns = own.get(each.table);
    if (columns === undefined) others.push(each.table);
    else {
      taken.push({ ...each, columns: each.columns.filter((name) => columns.has(name)) });
      others.push(...unknownColumns(each, columns).map((name) => `${each.table}.${name}`));
    }
  }
  return { taken, others: others.sort() };
}

/** The columns of a table that are none of these. */
export function unknownColumns({ columns }: BackupTable, own: ReadonlySet<string>): string[] {
  return columns.filter((name) => !own.has(name));
}

/** The tables that a database has now, without those that are left out, and their columns. */
export async function columnsIn(client: pg.ClientBase): Promise<Columns> {
  const tables = await tablesIn(client);
  return new Map(tables.map(({ table, columns }) => [table, new Set(columns)]));
}

/** What the applied migrations make; undefined where they are not exactly this release's. */
async function ownColumns(client: pg.ClientBase): Promise<Columns | undefined> {
  const applied = (await readApplied(client)).flatMap(({ name, finished }) => (finished ? [name] : []));
  const ours = (await readMigrations(MIGRATIONS)).map(({ name }) => name);
  if (applied.length !== ours.length || !ours.every((name) => applied.includes(name))) return undefined;
  return columnsOfSchema(await readFile(join(MIGRATIONS, 'schema.prisma'), 'utf8'));
}

/** The tables that a Prisma schema describes. A field whose type is a model is no column. */
function columnsOfSchema(schema: string): Columns {
  const models = [...schema.matchAll(/^model (\w+) \{\n(.*?)^\}/gms)];
  const names = new Set(models.map(([, name]) => name));
  return new Map(
    models.map(([, model = '', body = '']) => {
      const fields = [...body.matchAll(/^ +(\w+) +(\w+)(.*)$/gm)].filter(([, , type]) => !names.has(type));
      const columns = fields.map(([, field = '', , rest = '']) => mapped(/ @map\("(\w+)"\)/, rest, field));
      return [mapped(/@@map\("(\w+)"\)/, body, model), new Set(columns)];
    }),
  );
}

const mapped = (pattern: RegExp, text: string, name: string) => pattern.exec(text)?.[1] ?? name;

type FoundTable = BackupTable & { readonly oid: number };

async function tablesIn(client: pg.ClientBase): Promise<FoundTable[]> {
  const { rows } = await client.query<FoundTable>(
    `SELECT c.oid::int, c.relname AS table,
       ARRAY(SELECT attname::text FROM pg_attribute
             WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum) AS columns
     FROM pg_class c
     WHERE c.relnamespace = to_regnamespace(current_schema()) AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND c.relname <> ALL ($1) ORDER BY c.relname`,
    [LEFT_OUT],
  );
  return rows;
}

async function inOrder(client: pg.ClientBase, tables: FoundTable[]): Promise<BackupTable[]> {
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
