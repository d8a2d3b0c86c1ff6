'use client';

import { type ReactNode, useState } from 'react';
import { useLive, useRefreshSoon } from '#components/live.tsx';
import { PageLinks } from '#components/ui/page-links.tsx';
import { Panel } from '#components/ui/panel.tsx';
import type { AuditParameters } from '#src/audit-query.ts';
import type { AuditRow } from '#src/audit-row.ts';
import type { ColumnOf } from '#src/columns.ts';
import { newestAudit, rememberAudit } from '#src/newest-audit.ts';
import { pagesBeside } from '#src/page-query.ts';
import { AuditTable } from './audit-table.tsx';

/**
 * A panel with the newest rows of the audit log. New rows are added as they come: the change event has the row itself, so
 * no request is needed.
 */
export function LiveAuditTable({
  guildId,
  caption,
  rows,
  columns,
  given,
  most,
  empty,
  older,
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
  /** The path of the list and the last rendered row, if there are older ones. Without it, no older page is offered. */
  older?: { readonly path: string; readonly id: string | null };
}) {
  const refreshSoon = useRefreshSoon(guildId);
  const [heard, setHeard] = useState<readonly AuditRow[]>([]);
  const list = { rows, given, most };
  useLive(guildId, ['audit'], (change) => {
    const { audit = [], missed } = change;
    if (missed === true) refreshSoon(change);
    if (audit.length > 0) setHeard((before) => rememberAudit(before, audit, list));
  });
  const { shown, hasMore } = newestAudit(heard, list);
  // New rows move others to the older page, which follows the last row that is still shown.
  const last = older === undefined || (older.id === null && !hasMore) ? null : (shown.at(-1)?.id ?? older.id);
  return (
    <>
      <Panel>
        {shown.length === 0 ? (
          empty
        ) : (
          <AuditTable guildId={guildId} caption={caption} rows={shown} columns={columns} />
        )}
      </Panel>
      {older === undefined ? null : (
        <PageLinks {...pagesBeside(older.path, given, { newer: null, older: last })} />
      )}
    </>
  );
}
