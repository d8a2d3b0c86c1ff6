import type { AuditEntry } from '@bailiff/engine/audit/audit-log';

/** An audit row as lists in the browser get it. It has no details, which are for the owner (decisions: Audit). */
export type AuditRow = Omit<AuditEntry, 'at' | 'details' | 'digest'> & { readonly at: string };

export function auditRow({ details: _, digest: _digest, ...entry }: AuditEntry): AuditRow {
  return { ...entry, at: entry.at.toISOString() };
}
