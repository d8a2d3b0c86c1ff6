import type { AuditEntry } from '@bailiff/engine/audit/audit-log';

/** A row of the audit log as lists of it are sent to browsers. Its details are the owner's (decisions: Audit). */
export type AuditRow = Omit<AuditEntry, 'at' | 'details' | 'digest'> & { readonly at: string };

export function auditRow({ details: _, digest: _digest, ...entry }: AuditEntry): AuditRow {
  return { ...entry, at: entry.at.toISOString() };
}
