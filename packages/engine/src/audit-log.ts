import type { ActorSource, AuditOutcome } from '@bailiff/core';
import type { Database } from '@bailiff/prisma';
import { AFTER_EVERY_ID } from './paging.ts';

/** A row of the audit log as the dashboard shows it. */
export interface AuditEntry {
  readonly id: string;
  readonly at: Date;
  readonly isRead: boolean;
  readonly actorSource: ActorSource;
  readonly actorUserId: string | null;
  readonly tokenId: string | null;
  readonly tokenName: string | null;
  readonly operation: string;
  readonly targetType: string | null;
  readonly targetId: string | null;
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

/**
 * The newest rows of a guild's audit log, older than the row `before` where one is given. Reads by tokens are left out
 * unless asked for (decisions: Audit).
 */
export async function listAuditLog(
  db: Database,
  guildId: string,
  options: { reads: boolean; limit: number; before?: string | undefined },
): Promise<AuditEntry[]> {
  const { rows } = await db.pool.query<AuditRecord & { is_read: boolean; details: unknown }>({
    name: options.reads ? 'audit_log_with_reads' : 'audit_log',
    text: `SELECT ${AUDIT_COLUMNS}, is_read, details
           FROM audit WHERE guild_id = $1 AND id < $2 ${options.reads ? '' : 'AND NOT is_read'}
           ORDER BY id DESC LIMIT $3`,
    values: [guildId, options.before ?? AFTER_EVERY_ID, options.limit],
  });
  return rows.map((row) => ({
    id: row.id,
    at: row.at,
    isRead: row.is_read,
    actorSource: row.actor_source,
    actorUserId: row.actor_user_id,
    tokenId: row.token_id,
    tokenName: row.token_name,
    operation: row.operation,
    targetType: row.target_type,
    targetId: row.target_id,
    outcome: row.outcome,
    code: row.code,
    requestId: row.request_id,
    address: row.address,
    digest: row.digest,
    actionId: row.action_id,
    details: row.details,
  }));
}
