import { isReadOperation, OPERATION_NAMES } from '@bailiff/core';
import { ActorSource, AuditOutcome, Bindings, type Database, type RowOf, sql } from '@bailiff/prisma';
import { type Looks, type Pace, type Place, paceOfPage, rowsThatFit, sortedBy } from './audit-looks.ts';

/** A row of the audit log as the dashboard shows it. */
export interface AuditEntry {
  readonly id: string;
  readonly at: Date;
  readonly isRead: boolean;
  readonly actorSource: ActorSource;
  readonly actorUserId: string | null;
  /** Null if their name is not known. */
  readonly actorName: string | null;
  readonly tokenId: string | null;
  readonly tokenName: string | null;
  readonly operation: string;
  readonly targetType: string | null;
  readonly targetId: string | null;
  /** Name of a person, game server or channel, or the number of a case or ticket. */
  readonly targetName: string | null;
  readonly outcome: AuditOutcome;
  readonly code: string | null;
  readonly requestId: string | null;
  readonly address: string | null;
  readonly digest: string | null;
  readonly actionId: string | null;
  readonly details: unknown;
  /** How often a refused call was made: repeats within an hour are counted (decisions: Audit). Otherwise 1. */
  readonly count: number;
  /** The last time of them. */
  readonly lastAt: Date;
}

/** Columns of the audit log, without what only the dashboard shows. */
export const AUDIT_RECORD = {
  id: sql.text,
  at: sql.timestamptz,
  actor_source: sql.oneOf({ ActorSource }),
  actor_user_id: sql.text.orNull,
  token_id: sql.text.orNull,
  token_name: sql.text.orNull,
  operation: sql.text,
  target_type: sql.text.orNull,
  target_id: sql.text.orNull,
  outcome: sql.oneOf({ AuditOutcome }),
  code: sql.text.orNull,
  request_id: sql.text.orNull,
  address: sql.text.orNull,
  digest: sql.text.orNull,
  action_id: sql.text.orNull,
};

/** Columns of an {@link AuditRecord}, for a SELECT. */
export const AUDIT_COLUMNS = sql.names(AUDIT_RECORD);

/** Columns that {@link withRepeats} adds. */
export const REPEATS = { count: sql.int, last_at: sql.timestamptz };

/** The table or query `from` of audit rows, with how often a refused call was made, and when last. */
export function withRepeats(from: string, row: string): string {
  return `${from} CROSS JOIN LATERAL (
    SELECT coalesce(max(c.count), 1) AS count, coalesce(max(c.last_at), ${row}.at) AS last_at
    FROM refusal_counts c WHERE ${row}.outcome = 'refused' AND c.audit_id = ${row}.id) AS repeats`;
}

/** A row of the audit log without what only the dashboard shows. */
export type AuditRecord = RowOf<typeof AUDIT_RECORD>;

/** Filters for audit log rows. A row must match all filters that are given. */
export interface AuditFilter {
  readonly source?: ActorSource | undefined;
  readonly outcome?: AuditOutcome | undefined;
  readonly operation?: string | undefined;
  readonly actorId?: string | undefined;
  readonly tokenId?: string | undefined;
  readonly targetId?: string | undefined;
  readonly requestId?: string | undefined;
  readonly actionId?: string | undefined;
  /** At this time or later. */
  readonly from?: Date | undefined;
  /** Before this time. */
  readonly to?: Date | undefined;
  /** Rows with one of these operations, or by, with or about one of these people and tokens. */
  readonly anyOf?: { readonly operations: readonly string[]; readonly ids: readonly string[] } | undefined;
}

export interface AuditQuery {
  /** Whether to include reads by tokens and in chat. Default: left out (decisions: Audit). */
  readonly reads: boolean;
  /** Whether to leave out that something was requested once its outcome is on record. Default: each row is listed. */
  readonly onePerCall?: boolean;
  readonly filter?: AuditFilter | undefined;
  readonly limit: number;
  /** Older than this row, by its place or by its id alone. A read may have been forgotten since it was listed. */
  readonly before?: Place | string | undefined;
  /** Newer than this row. Returns the rows next to it. */
  readonly after?: Place | string | undefined;
}

const ENTRY = {
  ...AUDIT_RECORD,
  ...REPEATS,
  guild_id: sql.text,
  is_read: sql.bool,
  details: sql.jsonb().orNull,
  actor_name: sql.text.orNull,
  target_name: sql.text.orNull,
};

/** Not a prepared statement: the best plan depends on the filters and their values. */
const auditLogs = sql.family('lists of the audit log', 500);

// A value and not NOT EXISTS, for which the planner would read the audit log of all guilds into a hash table.
const LATEST_OF_CALL = `(outcome <> 'requested' OR (SELECT true FROM audit_writes ended
  WHERE ended.action_id = audit.action_id AND ended.outcome <> 'requested' LIMIT 1) IS NULL)`;

/** Rows of a guild's audit log, newest first. @throws TooManyRows if several filters fit too few of many rows */
export async function listAuditLog(
  db: Database,
  guildId: string,
  query: AuditQuery,
  pace: Pace = paceOfPage(db, guildId),
): Promise<AuditEntry[]> {
  const bindings = new Bindings();
  const { always, filters } = conditionsOf(guildId, query, bindings);
  if (filters.length > 1) return listOfSeveral(db, guildId, query, pace);
  const conditions = [...always, ...filters];
  const ofWrites = query.onePerCall === true ? [...conditions, LATEST_OF_CALL] : conditions;
  const order = query.after === undefined ? 'DESC' : 'ASC';
  const limit = bindings.bind(sql.bigint, query.limit);
  // Planned apart, because what is common among writes may be rare among reads.
  const parts = [[...ofWrites, 'NOT is_read'], ...(query.reads ? [[...conditions, 'is_read']] : [])].map(
    (part) => `(SELECT * FROM audit WHERE ${part.join(' AND ')}
      ORDER BY at ${order}, id ${order} LIMIT ${limit})`,
  );
  const text = withNames(`SELECT * FROM (${parts.join(' UNION ALL ')}) AS parts
    ORDER BY at ${order}, id ${order} LIMIT ${limit}`);
  const { parameters, values } = bindings;
  const statement = auditLogs.statement({ parameters, columns: ENTRY, text, prepared: false });
  return (await pace.ofPage(() => statement.all(db.pool, values))).map(entryFrom);
}

/** The list with several filters: rows are looked at part by part, and described once they are found. */
async function listOfSeveral(
  db: Database,
  guildId: string,
  query: AuditQuery,
  pace: Pace,
): Promise<AuditEntry[]> {
  const { reads, limit, after, onePerCall } = query;
  const [order, side] = after === undefined ? (['DESC', 'before'] as const) : (['ASC', 'after'] as const);
  const found: Place[] = [];
  for (const part of reads ? ['NOT is_read', 'is_read'] : ['NOT is_read']) {
    const ofCall = onePerCall === true && part === 'NOT is_read' ? [LATEST_OF_CALL] : [];
    const conditions: Looks['conditions'] = (bindings, beside) => {
      const from = beside === undefined ? query : { ...query, [side]: beside };
      const { always, filters } = conditionsOf(guildId, from, bindings);
      const [first = 'true', ...others] = filters;
      return { indexed: [...always, first, part], others: [...others, ...ofCall] };
    };
    found.push(...(await rowsThatFit(db, { conditions, order, limit }, pace)));
  }
  const places = sortedBy(order, found).slice(0, limit);
  const ids = places.map(({ id }) => id);
  const rows = (await pace.ofPage(() => entriesByAnyIds.all(db.pool, [guildId, ids]))).map(entryFrom);
  const [last, missing] = [places[limit - 1], limit - rows.length];
  if (last === undefined || missing === 0) return rows;
  // Reads were forgotten since they were found. Fewer rows than asked for would say that no more follow.
  const more = await listOfSeveral(db, guildId, { ...query, [side]: last, limit: missing }, pace);
  return after === undefined ? [...rows, ...more] : [...more, ...rows];
}

const entriesByAnyIds = entriesWhere('true');
const writesByIds = entriesWhere('NOT is_read');

/**
 * Rows by their ids, each looked up by itself: for all at once, PostgreSQL would plan to read the whole log of the guild,
 * because most guilds have few rows.
 */
function entriesWhere(condition: string) {
  return sql.statement({
    parameters: [sql.text, sql.arrayOf(sql.text)],
    columns: ENTRY,
    text: withNames(`SELECT found.* FROM unnest($2::text[]) AS wanted (id) CROSS JOIN LATERAL (
      SELECT * FROM audit WHERE guild_id = $1 AND id = wanted.id AND ${condition} LIMIT 1) AS found`),
  });
}

const entryById = sql.statement({
  parameters: [sql.text, sql.text],
  columns: ENTRY,
  text: withNames('SELECT * FROM audit WHERE guild_id = $1 AND id = $2'),
});

/** The writes among the rows with these ids, oldest first. An open page asks for rows it was notified about. */
export async function auditEntries(
  db: Database,
  guildId: string,
  ids: readonly string[],
): Promise<AuditEntry[]> {
  return (await writesByIds.all(db.pool, [guildId, ids])).map(entryFrom).reverse();
}

/** The row with this id, also if it is a read. Null if the guild has no such row. */
export async function findAuditEntry(db: Database, guildId: string, id: string): Promise<AuditEntry | null> {
  const row = await entryById.first(db.pool, [guildId, id]);
  return row === null ? null : entryFrom(row);
}

/**
 * SQL for rows of the guild $1 with the names of whom and what they are about. Each is looked up by itself once the page
 * is found: for joins, PostgreSQL would plan with a guild that has as few members and tickets as most.
 */
function withNames(page: string): string {
  const nameOf = (person: string) => `coalesce(
      (SELECT display_name FROM members WHERE guild_id = $1 AND user_id = ${person}),
      (SELECT display_name FROM known_names WHERE user_id = ${person} AND $1 = ANY (guild_ids)))`;
  const numberOf = (table: string) =>
    `(SELECT '#' || number FROM ${table} WHERE guild_id = $1 AND id = a.target_id)`;
  return `SELECT a.*, repeats.*, ${nameOf('a.actor_user_id')} AS actor_name,
      CASE
        WHEN a.target_type = 'user' THEN ${nameOf('a.target_id')}
        WHEN a.target_type = 'server' THEN
          (SELECT name FROM game_servers WHERE guild_id = $1 AND id = a.target_id)
        WHEN a.target_type = 'channel' THEN
          (SELECT '#' || name FROM known_channels WHERE guild_id = $1 AND channel_id = a.target_id)
        WHEN a.target_type IN ('strike', 'warning', 'case') THEN
          (SELECT '#' || case_number FROM cases WHERE guild_id = $1 AND id = a.target_id)
        WHEN a.target_type = 'appeal' THEN
          (SELECT '#' || case_number FROM appeals JOIN cases ON cases.id = case_id
            WHERE appeals.guild_id = $1 AND appeals.id = a.target_id)
        WHEN a.target_type = 'ticket' THEN ${numberOf('tickets')}
        WHEN a.target_type = 'report' THEN ${numberOf('reports')}
      END AS target_name
    FROM ${withRepeats(`(${page}) AS a`, 'a')}
    ORDER BY a.at DESC, a.id DESC`;
}

/** Values that rows about reads can have. Only writes have indexes for the others. */
const OF_READS: readonly string[] = [
  ...OPERATION_NAMES.filter(isReadOperation),
  ...[ActorSource.token, ActorSource.chat],
  ...[AuditOutcome.performed, AuditOutcome.refused, AuditOutcome.failed],
];

/** SQL for rows that hold this value in a column which rows about reads have too. */
export function holds(column: string, value: string, inText: string): string {
  return `${column} = ${inText}${OF_READS.includes(value) ? '' : ' AND NOT is_read'}`;
}

/** The same for an enum. The planner uses an index of part of a table only for a value that is in the text. */
export function holdsEnum(column: string, value: ActorSource | AuditOutcome): string {
  return holds(column, value, `'${value}'`);
}

const EQUALS = {
  requestId: ['request_id', sql.text],
  targetId: ['target_id', sql.text],
  tokenId: ['token_id', sql.text],
  actorId: ['actor_user_id', sql.text],
} as const;

/** The conditions that hold for every row, and those of the filters, with those first that mostly fit fewer rows. */
function conditionsOf(
  guildId: string,
  { filter = {}, before, after }: AuditQuery,
  bindings: Bindings,
): { readonly always: string[]; readonly filters: string[] } {
  const guild = bindings.bind(sql.text, guildId);
  const conditions = [`guild_id = ${guild}`];
  const filters: string[] = [];
  const { source, outcome, operation, actionId } = filter;
  // A read is no action.
  if (actionId !== undefined)
    filters.push(`action_id = ${bindings.bind(sql.text, actionId)} AND NOT is_read`);
  for (const [name, [column, type]] of Object.entries(EQUALS)) {
    const value = filter[name as keyof typeof EQUALS];
    if (value !== undefined) filters.push(`${column} = ${bindings.bind<unknown>(type, value)}`);
  }
  const ofOutcome = outcome === undefined ? [] : [holdsEnum('outcome', outcome)];
  if (outcome !== AuditOutcome.performed) filters.push(...ofOutcome);
  if (operation !== undefined)
    filters.push(holds('operation', operation, bindings.bind(sql.text, operation)));
  if (source !== undefined) filters.push(holdsEnum('actor_source', source));
  if (outcome === AuditOutcome.performed) filters.push(...ofOutcome);
  if (filter.from !== undefined) conditions.push(`at >= ${bindings.bind(sql.timestamptz, filter.from)}`);
  if (filter.to !== undefined) conditions.push(`at < ${bindings.bind(sql.timestamptz, filter.to)}`);
  if (filter.anyOf !== undefined) {
    const ids = bindings.bind(sql.arrayOf(sql.text), filter.anyOf.ids);
    const operations = bindings.bind(sql.arrayOf(sql.text), filter.anyOf.operations);
    filters.push(`(operation = ANY (${operations}) OR actor_user_id = ANY (${ids})
      OR target_id = ANY (${ids}) OR token_id = ANY (${ids}))`);
  }
  const beside = (row: Place | string) => {
    const { id: text, at } = typeof row === 'string' ? { id: row, at: momentOf(row) } : row;
    const [id, moment] = [bindings.bind(sql.text, text), bindings.bind(sql.timestamptz, at)];
    if (typeof row !== 'string') return `(${moment}, ${id})`;
    return `(coalesce((SELECT at FROM audit WHERE guild_id = ${guild} AND id = ${id}), ${moment}), ${id})`;
  };
  if (before !== undefined) conditions.push(`(at, id) < ${beside(before)}`);
  if (after !== undefined) conditions.push(`(at, id) > ${beside(after)}`);
  return { always: conditions, filters };
}

/** When an id was made, which is about when its row says: the first 48 bits of a UUIDv7 (RFC 9562 §5.7). */
function momentOf(id: string): Date {
  return new Date(Number.parseInt(id.slice(4, 16), 16) || 0);
}

function entryFrom(row: RowOf<typeof ENTRY>): AuditEntry {
  return {
    id: row.id,
    at: row.at,
    isRead: row.is_read,
    actorSource: row.actor_source,
    actorUserId: row.actor_user_id,
    actorName: row.actor_name,
    tokenId: row.token_id,
    tokenName: row.token_name,
    operation: row.operation,
    targetType: row.target_type,
    targetId: row.target_id,
    targetName: row.target_name,
    outcome: row.outcome,
    code: row.code,
    requestId: row.request_id,
    address: row.address,
    digest: row.digest,
    actionId: row.action_id,
    details: row.details,
    count: row.count,
    lastAt: row.last_at,
  };
}
