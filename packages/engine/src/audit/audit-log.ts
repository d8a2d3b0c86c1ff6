import type { ActorSource, AuditOutcome } from '@bailiff/core';
import type { Database } from '@bailiff/prisma';

/** A row of the audit log as the dashboard shows it. */
export interface AuditEntry {
  readonly id: string;
  readonly at: Date;
  readonly isRead: boolean;
  readonly actorSource: ActorSource;
  readonly actorUserId: string | null;
  /** Null where the mirror does not know the person. */
  readonly actorName: string | null;
  readonly tokenId: string | null;
  readonly tokenName: string | null;
  readonly operation: string;
  readonly targetType: string | null;
  readonly targetId: string | null;
  /** Of a person whom the mirror knows, or a game server. */
  readonly targetName: string | null;
  readonly outcome: AuditOutcome;
  readonly code: string | null;
  readonly requestId: string | null;
  readonly address: string | null;
  readonly digest: string | null;
  readonly actionId: string | null;
  readonly details: unknown;
}

/** A row of the audit log without what only the dashboard shows. */
export interface AuditRecord {
  id: string;
  at: Date;
  actor_source: ActorSource;
  actor_user_id: string | null;
  token_id: string | null;
  token_name: string | null;
  operation: string;
  target_type: string | null;
  target_id: string | null;
  outcome: AuditOutcome;
  code: string | null;
  request_id: string | null;
  address: string | null;
  digest: string | null;
  action_id: string | null;
}

/** Columns of an {@link AuditRecord}. */
export const AUDIT_COLUMNS = `id, at, actor_source, actor_user_id, token_id, token_name, operation, target_type, target_id,
  outcome, code, request_id, address, digest, action_id`;

/** Which rows are wanted; rows fulfil all that is given. */
export interface AuditFilter {
  readonly source?: ActorSource | undefined;
  readonly outcome?: AuditOutcome | undefined;
  readonly operation?: string | undefined;
  readonly actorId?: string | undefined;
  readonly tokenId?: string | undefined;
  readonly targetId?: string | undefined;
  readonly requestId?: string | undefined;
  readonly actionId?: string | undefined;
  /** From this moment on. */
  readonly from?: Date | undefined;
  /** Before this moment. */
  readonly to?: Date | undefined;
  /** One of these operations, or by, with or about one of these people and tokens. */
  readonly anyOf?: { readonly operations: readonly string[]; readonly ids: readonly string[] } | undefined;
}

export interface AuditQuery {
  /** Whether reads by tokens and in chat are among them; left out unless asked for (decisions: Audit). */
  readonly reads: boolean;
  readonly filter?: AuditFilter | undefined;
  readonly limit: number;
  /** Older than this row. */
  readonly before?: string | undefined;
  /** Newer than this row: those next to it. */
  readonly after?: string | undefined;
}

type Row = AuditRecord & {
  is_read: boolean;
  details: unknown;
  actor_name: string | null;
  target_name: string | null;
};

/** Rows of a guild's audit log, newest first. */
export async function listAuditLog(db: Database, guildId: string, query: AuditQuery): Promise<AuditEntry[]> {
  const { conditions, values } = conditionsOf(guildId, query);
  const order = query.after === undefined ? 'DESC' : 'ASC';
  const { rows } = await db.pool.query<Row>({
    // Not a prepared statement: each set of filters wants the plan that is good for its very values.
    text: withNames(`SELECT * FROM audit WHERE ${conditions.join(' AND ')}
                     ORDER BY at ${order}, id ${order} LIMIT ${query.limit}`),
    values,
  });
  return rows.map(entryFrom);
}

/** Rows with these ids that are no reads, oldest first: what a page that is open has been told of. */
export async function auditEntries(
  db: Database,
  guildId: string,
  ids: readonly string[],
): Promise<AuditEntry[]> {
  const { rows } = await db.pool.query<Row>({
    name: 'audit_entries',
    text: withNames('SELECT * FROM audit WHERE guild_id = $1 AND id = ANY ($2) AND NOT is_read'),
    values: [guildId, ids],
  });
  return rows.map(entryFrom).reverse();
}

/** One row, reads included; null when the guild has none with this id. */
export async function findAuditEntry(db: Database, guildId: string, id: string): Promise<AuditEntry | null> {
  const { rows } = await db.pool.query<Row>({
    name: 'find_audit_entry',
    text: withNames('SELECT * FROM audit WHERE guild_id = $1 AND id = $2'),
    values: [guildId, id],
  });
  return rows[0] === undefined ? null : entryFrom(rows[0]);
}

const EXPORT_BATCH = 1_000;

/**
 * All rows that are wanted, newest first, in batches. Each batch is a query of its own, asked when the one before is used
 * up: no connection is held while a slow reader reads.
 */
export async function* allAuditEntries(
  db: Database,
  guildId: string,
  query: Omit<AuditQuery, 'limit' | 'after'>,
): AsyncGenerator<readonly AuditEntry[]> {
  for (let { before } = query; ; ) {
    const batch = await listAuditLog(db, guildId, { ...query, before, limit: EXPORT_BATCH });
    if (batch.length > 0) yield batch;
    if (batch.length < EXPORT_BATCH) return;
    before = batch.at(-1)?.id;
  }
}

/** Of people and tokens of a guild whose name contains a text: their ids, the first fifty of each. */
export async function idsNamed(db: Database, guildId: string, text: string): Promise<string[]> {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  const { rows } = await db.pool.query<{ id: string }>({
    name: 'ids_named',
    text: `(SELECT user_id AS id FROM members WHERE guild_id = $1 AND (display_name ILIKE $2 OR username ILIKE $2) LIMIT 50)
           UNION ALL (SELECT id FROM tokens WHERE guild_id = $1 AND name ILIKE $2 LIMIT 50)`,
    values: [guildId, pattern],
  });
  return rows.map(({ id }) => id);
}

/** The names of a page's people are looked up after the page was found. */
function withNames(page: string): string {
  return `SELECT a.*, actor.display_name AS actor_name,
      coalesce(target.display_name, server.name) AS target_name
    FROM (${page}) AS a
    LEFT JOIN members actor ON actor.guild_id = a.guild_id AND actor.user_id = a.actor_user_id
    LEFT JOIN members target ON target.guild_id = a.guild_id AND target.user_id = a.target_id AND a.target_type = 'user'
    LEFT JOIN game_servers server ON server.guild_id = a.guild_id AND server.id = a.target_id AND a.target_type = 'server'
    ORDER BY a.at DESC, a.id DESC`;
}

const EQUALS = {
  source: 'actor_source',
  outcome: 'outcome',
  operation: 'operation',
  actorId: 'actor_user_id',
  tokenId: 'token_id',
  targetId: 'target_id',
  requestId: 'request_id',
  actionId: 'action_id',
} as const;

function conditionsOf(
  guildId: string,
  { reads, filter = {}, before, after }: AuditQuery,
): { conditions: string[]; values: unknown[] } {
  const values: unknown[] = [guildId];
  const conditions = ['guild_id = $1', ...(reads ? [] : ['NOT is_read'])];
  const given = (value: unknown) => `$${values.push(value)}`;
  for (const [name, column] of Object.entries(EQUALS)) {
    const value = filter[name as keyof typeof EQUALS];
    if (value !== undefined) conditions.push(`${column} = ${given(value)}`);
  }
  if (filter.from !== undefined) conditions.push(`at >= ${given(filter.from)}`);
  if (filter.to !== undefined) conditions.push(`at < ${given(filter.to)}`);
  if (filter.anyOf !== undefined) {
    const ids = given(filter.anyOf.ids);
    conditions.push(`(operation = ANY (${given(filter.anyOf.operations)}) OR actor_user_id = ANY (${ids})
      OR target_id = ANY (${ids}) OR token_id = ANY (${ids}))`);
  }
  const beside = (id: string) => `(SELECT at, id FROM audit WHERE guild_id = $1 AND id = ${given(id)})`;
  if (before !== undefined) conditions.push(`(at, id) < ${beside(before)}`);
  if (after !== undefined) conditions.push(`(at, id) > ${beside(after)}`);
  return { conditions, values };
}

function entryFrom(row: Row): AuditEntry {
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
  };
}
