import type { AuditEntry } from '@bailiff/engine/audit/audit-log';

interface AuditViewer {
  readonly isOwner: boolean;
}

/** A row of the audit log as a viewer may see it: people's addresses and details are the owner's (decisions: Audit). */
export function asSeenBy({ isOwner }: AuditViewer, entry: AuditEntry): AuditEntry {
  return isOwner ? entry : { ...entry, address: null, details: null };
}

/** An audit row as lists in the browser get it, without what only the row's own page shows. */
export type AuditRow = Omit<AuditEntry, 'at' | 'lastAt' | 'details' | 'digest'> & {
  readonly at: string;
  readonly lastAt: string;
};

export function auditRow(entry: AuditEntry, viewer: AuditViewer): AuditRow {
  const { details: _, digest: _digest, ...row } = asSeenBy(viewer, entry);
  return { ...row, at: row.at.toISOString(), lastAt: row.lastAt.toISOString() };
}
