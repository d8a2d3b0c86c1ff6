import type { Pool } from 'pg';

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly kind: string;
  readonly required: boolean;
  readonly unique: boolean;
  readonly refers: { readonly table: string; readonly column: string } | null;
}

const COLUMNS = `
  SELECT t.relname AS table, a.attname AS name, format_type(a.atttypid, NULL) AS type, y.typtype AS kind,
    a.attnotnull AND NOT a.atthasdef AS required,
    EXISTS (SELECT FROM pg_index i WHERE i.indrelid = t.oid AND i.indisunique AND a.attnum = ANY (i.indkey)) AS unique,
    (SELECT jsonb_build_object('table', f.confrelid::regclass::text, 'column',
        (SELECT attname FROM pg_attribute WHERE attrelid = f.confrelid AND attnum = f.confkey[array_position(f.conkey, a.attnum)]))
      FROM pg_constraint f WHERE f.conrelid = t.oid AND f.contype = 'f' AND a.attnum = ANY (f.conkey)
      ORDER BY cardinality(f.conkey) DESC LIMIT 1) AS refers
  FROM pg_class t JOIN pg_attribute a ON a.attrelid = t.oid JOIN pg_type y ON y.oid = a.atttypid
  WHERE t.relnamespace = 'public'::regnamespace AND t.relkind IN ('r', 'p') AND NOT t.relispartition
    AND a.attnum > 0 AND NOT a.attisdropped
    AND t.relname NOT IN ('_bailiff_migrations', '_bailiff_objects', '_prisma_migrations')
  ORDER BY t.relname, a.attnum`;

/** All columns of Bailiff's tables. */
async function columnsOf(pool: Pool): Promise<Map<string, Column[]>> {
  const { rows } = await pool.query<Column>(COLUMNS);
  return Map.groupBy(rows, ({ table }) => table);
}

/**
 * Puts a row into every table. Its columns of a guild's id hold `guildId`, all other texts `text`, inside of JSON and of
 * lists too. Returns the tables.
 */
export async function fillEveryTable(pool: Pool, guildId: string, text: string): Promise<string[]> {
  const waiting = await columnsOf(pool);
  const filled = new Map<string, Record<string, unknown>>();
  while (waiting.size > 0) {
    const before = waiting.size;
    for (const [table, columns] of waiting) {
      if (
        columns.some(({ refers }) => refers !== null && refers.table !== table && !filled.has(refers.table))
      )
        continue;
      const names = columns.filter((column) => sampleOf(column) !== undefined);
      const values = names.map((column) => sampleOf(column));
      const { rows } = await pool.query(
        `INSERT INTO ${table} (${names.map(({ name }) => `"${name}"`).join(', ')})
         VALUES (${names.map((column, n) => `$${n + 1}::${column.type}`).join(', ')})
         ON CONFLICT DO NOTHING RETURNING *`,
        values,
      );
      filled.set(table, rows[0] ?? {});
      waiting.delete(table);
    }
    if (waiting.size === before) throw new Error(`These tables refer to each other: ${[...waiting.keys()]}`);
  }
  return [...filled.keys()];

  function sampleOf({ table, name, type, kind, required, unique, refers }: Column): unknown {
    if (refers !== null) return filled.get(refers.table)?.[refers.column];
    if (name === 'guild_id' || (table === 'guilds' && name === 'id')) return guildId;
    // No row's own id is a person's, but those of people.
    if (name === 'id' && table !== 'users' && type === 'text') return 'row_1';
    if (type === 'text' || type === 'character varying') return unique && !required ? undefined : text;
    if (type === 'text[]') return [text];
    if (type === 'jsonb' || type === 'json')
      return JSON.stringify([{ author_id: text, said: `<@${text}>`, [text]: 1 }]);
    if (!required) return undefined;
    if (type === 'bytea') return '\\x00';
    if (type === 'boolean') return true;
    if (type.startsWith('timestamp') || type === 'date') return new Date();
    if (kind === 'e') return FIRST[type.replaceAll('"', '')];
    return 1;
  }
}

/** A value of each enum that some table requires. */
const FIRST: Readonly<Record<string, string>> = {
  ImportSource: 'csv',
  GamePlatform: 'other',
  GuildTier: 'pro',
  EscalationKind: 'mute',
  CaseKind: 'strike',
  ChannelKind: 'text',
  ListKind: 'ban',
  LogTopic: 'bans',
  MeasureKind: 'lock',
  MemberEventKind: 'joined',
  TargetNoticeState: 'told',
  TokenKind: 'rest',
  ActorSource: 'chat',
  AuditOutcome: 'performed',
  DatabasePart: 'bot',
  ForgottenKind: 'guild',
};

/** Where a text stands in any table, the queue's included: `table.column`. */
export async function found(pool: Pool, text: string): Promise<string[]> {
  const { rows } = await pool.query<{ table: string; column: string }>(
    `SELECT t.oid::regclass::text AS table, quote_ident(a.attname) AS column
     FROM pg_class t JOIN pg_attribute a ON a.attrelid = t.oid JOIN pg_type y ON y.oid = a.atttypid
     WHERE t.relnamespace IN ('public'::regnamespace, 'graphile_worker'::regnamespace) AND t.relkind = 'r'
       AND a.attnum > 0 AND NOT a.attisdropped`,
  );
  const places: string[] = [];
  for (const { table, column } of rows) {
    const hit = await pool.query(`SELECT FROM ${table} WHERE position($1 IN ${column}::text) > 0 LIMIT 1`, [
      text,
    ]);
    if (hit.rowCount === 1) places.push(`${table}.${column}`);
  }
  return places;
}
