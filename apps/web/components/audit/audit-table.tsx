'use client';

import { useTranslations } from 'use-intl/react';
import { Badge } from '#components/ui/badge.tsx';
import { RelativeTime } from '#components/ui/relative-time.tsx';
import { Cell, Row, RowLink, Table, TableHead } from '#components/ui/table.tsx';
import type { AuditRow } from '#src/audit-row.ts';
import { type ColumnOf, LIST_COLUMNS } from '#src/columns.ts';
import { operationTitle } from '#src/operation-titles.ts';
import { outcomeOf } from './outcome-tones.ts';

/**
 * The rows of the audit log, each with a link to its own page. Needs `<Messages>` with `AUDIT_NAMESPACES` around it.
 */
export function AuditTable({
  guildId,
  caption,
  rows,
  columns = LIST_COLUMNS.audit,
}: {
  guildId: string;
  caption: string;
  rows: readonly AuditRow[];
  columns?: readonly ColumnOf<'audit'>[] | undefined;
}) {
  const t = useTranslations('audit');
  const has = (column: ColumnOf<'audit'>) => columns.includes(column);
  const texts = { operations: useTranslations('operations'), events: useTranslations('events') };
  return (
    <Table caption={caption} cards>
      <TableHead
        columns={[
          ...(has('when') ? [t('when')] : []),
          t('what'),
          ...LIST_COLUMNS.audit
            .filter((column) => column !== 'when' && has(column))
            .map((column) => t(column)),
        ]}
      />
      <tbody>
        {rows.map((row) => (
          <Row key={row.id}>
            {has('when') ? (
              <Cell label={t('when')} className="text-ink-soft">
                <RelativeTime iso={row.at} />
              </Cell>
            ) : null}
            <Cell label={t('what')}>
              <div>
                <RowLink href={`/guilds/${guildId}/audit/${row.id}`}>
                  {operationTitle(texts, row.operation)}
                </RowLink>
                <span className="text-ink-soft block font-mono text-xs">{row.operation}</span>
              </div>
            </Cell>
            {has('who') ? (
              <Cell label={t('who')}>
                <AuditActor row={row} />
              </Cell>
            ) : null}
            {has('target') ? (
              <Cell label={t('target')} className={row.targetId === null ? 'max-sm:hidden' : ''}>
                <AuditTarget row={row} />
              </Cell>
            ) : null}
            {has('outcome') ? (
              <Cell label={t('outcome')}>
                <div>
                  <OutcomeBadge row={row} />
                  {row.code === null ? null : (
                    <span className="text-ink-soft mt-1 block font-mono text-xs">{row.code}</span>
                  )}
                  {row.count === 1 ? null : (
                    <span className="text-ink-soft mt-1 block text-xs">
                      {t('times', { count: row.count })}
                    </span>
                  )}
                </div>
              </Cell>
            ) : null}
            {has('from') ? (
              <Cell label={t('from')} className="text-ink-soft font-mono text-xs max-sm:hidden">
                {row.address}
              </Cell>
            ) : null}
          </Row>
        ))}
      </tbody>
    </Table>
  );
}

/** How a row ended, as a badge. */
export function OutcomeBadge({ row }: { row: Pick<AuditRow, 'outcome' | 'code'> }) {
  const t = useTranslations('audit');
  const { word, tone } = outcomeOf(row);
  return <Badge tone={tone}>{t(`outcomes.${word}`)}</Badge>;
}

export function AuditActor({ row }: { row: AuditRow }) {
  const t = useTranslations('audit');
  const person = row.actorName ?? row.actorUserId;
  if (row.actorSource === 'token') {
    return (
      <div>
        {row.tokenName}
        <span className="text-ink-soft block text-xs">{t('tokenOf', { person: person ?? '' })}</span>
      </div>
    );
  }
  return (
    <div>
      {person ?? t(`sources.${row.actorSource}`)}
      {person === null ? null : (
        <span className="text-ink-soft block text-xs">{t(`sources.${row.actorSource}`)}</span>
      )}
    </div>
  );
}

export function AuditTarget({ row }: { row: AuditRow }) {
  const t = useTranslations('audit');
  if (row.targetId === null || row.targetType === null) return null;
  const name = row.targetType === 'token' ? row.tokenName : row.targetName;
  const kind = `targets.${row.targetType}` as 'targets.user';
  const words = t.has(kind) ? t(kind) : row.targetType;
  if (row.targetType === 'guild') return <div>{words}</div>;
  return (
    <div className="min-w-0">
      {name ?? <span className="font-mono text-xs wrap-anywhere">{row.targetId}</span>}
      <span className="text-ink-soft block text-xs">{words}</span>
    </div>
  );
}
