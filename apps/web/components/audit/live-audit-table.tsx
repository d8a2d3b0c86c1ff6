'use client';

import { type ReactNode, useState } from 'react';
import { useLive, useRefreshSoon } from '#components/live.tsx';
import { fitsAudit } from '#src/audit-filter.ts';
import type { AuditParameters } from '#src/audit-query.ts';
import type { AuditRow } from '#src/audit-row.ts';
import type { ColumnOf } from '#src/columns.ts';
import { AuditTable } from './audit-table.tsx';

/**
 * The newest rows of the audit log. New rows are added as they come: the change event has the row itself, so no request
 * is needed.
 */
export function LiveAuditTable({
  guildId,
  caption,
  rows,
  columns,
  given,
  most,
  empty,
}: {
  guildId: string;
  caption: string;
  rows: readonly AuditRow[];
  columns?: readonly ColumnOf<'audit'>[];
  /** The filter in the page's address, without a search. */
  given: AuditParameters;
  /** The largest number of rows to show. */
  most: number;
  /** Shown if there are no rows. */
  empty: ReactNode;
}) {
  const refreshSoon = useRefreshSoon();
  const [added, setAdded] = useState<readonly AuditRow[]>([]);
  useLive(guildId, ['audit'], (change) => {
    const { audit = [], missed } = change;
    if (missed === true) refreshSoon(change);
    const fitting = audit.filter((row) => fitsAudit(row, given));
    if (fitting.length > 0) setAdded((before) => newestFirst(fitting, before, most));
  });
  const shown = newestFirst(added, rows, most);
  return shown.length === 0 ? (
    empty
  ) : (
    <AuditTable guildId={guildId} caption={caption} rows={shown} columns={columns} />
  );
}

function newestFirst(
  some: readonly AuditRow[],
  others: readonly AuditRow[],
  most: number,
): readonly AuditRow[] {
  const latest = new Map<string, AuditRow>();
  for (const row of [...others, ...some].toSorted((a, b) => compare(a.at, b.at) || compare(a.id, b.id))) {
    // The outcome of a call takes the place of its request, as when the list is read again.
    latest.set(row.actionId ?? row.id, row);
  }
  return [...latest.values()].toReversed().slice(0, most);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
