import { type Database, sql } from '@bailiff/prisma';
import { type DashboardCall, recordChange } from '#src/calls/dashboard-call.ts';
import { inTransaction } from '#src/database/transaction.ts';
import { type AuditEntry, type AuditQuery, listAuditLog } from './audit-log.ts';
import { paceOfExport } from './audit-looks.ts';

export const EXPORT_FORMATS = ['csv', 'jsonl'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Selects the rows to export: those older than the export's own row, by the filters in the page's address. */
export interface AuditExport {
  readonly id: string;
  readonly format: ExportFormat;
  readonly filters: Readonly<Record<string, string>>;
}

/** How long an export can be fetched after it was requested. */
const FETCHED_WITHIN = '2 minutes';

/** Records an export of the audit log before any row leaves. Returns the id to fetch it by. */
export async function recordExport(
  db: Database,
  call: DashboardCall,
  guildId: string,
  { format, filters }: Omit<AuditExport, 'id'>,
): Promise<string> {
  return inTransaction(db, (tx) =>
    recordChange(tx, call, {
      guildId,
      operation: 'audit.export',
      details: { format, filters },
    }),
  );
}

const exportById = sql.statement({
  parameters: [sql.text, sql.text, sql.text],
  columns: { details: sql.jsonb<Omit<AuditExport, 'id'>>().neverNull },
  text: `SELECT details FROM audit
    WHERE guild_id = $1 AND id = $2 AND NOT is_read AND operation = 'audit.export' AND actor_user_id = $3
      AND at > clock_timestamp() - interval '${FETCHED_WITHIN}'`,
});

/** The export that this person requested a moment ago, or null. */
export async function findExport(
  db: Database,
  guildId: string,
  exportId: string,
  userId: string,
): Promise<AuditExport | null> {
  const row = await exportById.first(db.pool, [guildId, exportId, userId]);
  return row === null ? null : { id: exportId, ...row.details };
}

/** Some milliseconds of the database and of this process, in which no other call is answered. */
const ROWS_OF_A_STEP = 500;

/**
 * All rows that match, newest first, in batches. Each batch is its own query, sent when the previous batch is used up,
 * so no connection is held while a slow reader reads. Exports take turns with rests between them, so that no guild's
 * keeps the calls of others waiting (decisions: Guilds apart).
 */
export async function* allAuditEntries(
  db: Database,
  guildId: string,
  query: Omit<AuditQuery, 'limit' | 'after'>,
): AsyncGenerator<readonly AuditEntry[]> {
  for (let { before } = query; ; ) {
    const step = { ...query, before, limit: ROWS_OF_A_STEP };
    const batch = await listAuditLog(db, guildId, step, paceOfExport(db, guildId));
    if (batch.length > 0) yield batch;
    if (batch.length < ROWS_OF_A_STEP) return;
    before = batch.at(-1);
  }
}
