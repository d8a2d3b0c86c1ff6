import { type Capability, entryOf } from '@bailiff/core';
import { type Database, sql } from '@bailiff/prisma';
import { type ActionRecord, getAction } from '#src/calls/actions.ts';
import { capabilityOf } from '#src/calls/authorize.ts';
import type { Viewer } from '#src/guilds/guilds.ts';
import { type AuditEntry, findAuditEntry, listAuditLog } from './audit-log.ts';

/** A row of the audit log with the rows and the case that belong to it. */
export interface AuditFile {
  readonly entry: AuditEntry;
  /** Rows of the same action, or else of the same request, oldest first. The row itself is among them. */
  readonly related: readonly AuditEntry[];
  /** The call in full and its answer. Null if the row is of none, or if its viewer may not read it. */
  readonly action: ActionRecord | null;
  /** Who may read the call instead of its viewer. */
  readonly hiddenTo: CallReader | null;
  /** The case that the action opened or ended. */
  readonly caseNumber: number | null;
}

/** Who reads a call in full: the owner and the holders of a capability, the owner alone, or nobody. */
export type CallReader = Capability | 'owner' | 'nobody';

const MOST_RELATED = 20;

/** The audit log row with this id, as this person may see it. Null if the guild has no such row. */
export async function auditFile(db: Database, viewer: Viewer, id: string): Promise<AuditFile | null> {
  const guildId = viewer.id;
  const entry = await findAuditEntry(db, guildId, id);
  if (entry === null) return null;
  const [related, action, caseNumber] = await Promise.all([
    relatedTo(db, guildId, entry),
    entry.actionId === null ? null : getAction(db, guildId, entry.actionId),
    caseNumberOf(db, guildId, entry),
  ]);
  const file = { entry, related: related.toReversed(), caseNumber };
  if (action === null) return { ...file, action, hiddenTo: null };
  const reader = await readerOf(db, action);
  const mayRead =
    reader !== 'nobody' && (viewer.isOwner || viewer.capabilities.some((held) => held === reader));
  return mayRead ? { ...file, action, hiddenTo: null } : { ...file, action: null, hiddenTo: reader };
}

/** Who reads this call in full. Where no capability is known, the owner alone. */
async function readerOf(db: Database, { guildId, operation, targetId }: ActionRecord): Promise<CallReader> {
  const { capability, reader } = entryOf(operation);
  if (reader !== undefined) return reader;
  // The answer has that of the action.
  const of =
    capability === 'of_action' ? await getAction(db, guildId, targetId ?? '') : { operation, targetId };
  return (of === null ? null : capabilityOf(of.operation, of.targetId)) ?? 'owner';
}

async function relatedTo(db: Database, guildId: string, entry: AuditEntry): Promise<readonly AuditEntry[]> {
  const { actionId, requestId } = entry;
  if (entry.isRead || (actionId === null && requestId === null)) return [entry];
  const filter = actionId === null ? { requestId: requestId ?? '' } : { actionId };
  return listAuditLog(db, guildId, { reads: false, filter, limit: MOST_RELATED });
}

const caseOfAction = sql.statement({
  parameters: [sql.text, sql.text, sql.text],
  columns: { case_number: sql.int },
  text: `SELECT case_number FROM cases
    WHERE guild_id = $1 AND (user_id = $2 OR id = $2) AND (action_id = $3 OR end_action_id = $3)
    ORDER BY id DESC LIMIT 1`,
});

async function caseNumberOf(
  db: Database,
  guildId: string,
  { actionId, targetId, details }: AuditEntry,
): Promise<number | null> {
  // A ban or timeout made by hand in Discord has no action here. Its row names the case.
  if (typeof details === 'object' && details !== null && 'case_number' in details) {
    return typeof details.case_number === 'number' ? details.case_number : null;
  }
  if (actionId === null || targetId === null) return null;
  const row = await caseOfAction.first(db.pool, [guildId, targetId, actionId]);
  return row?.case_number ?? null;
}
