import { replacedAmong } from '@bailiff/engine/cases/case-list';
import type { CaseRow } from '@bailiff/engine/cases/cases';
import { Person } from '#components/members/person.tsx';
import { Badge } from '#components/ui/badge.tsx';
import { RelativeTime } from '#components/ui/relative-time.tsx';
import { Cell, HeaderCell, Row, RowLink, Table } from '#components/ui/table.tsx';
import { messagesFor } from '#src/messages.ts';
import type { People } from '#src/people.ts';
import { runtime } from '#src/runtime.ts';
import { kindName, SEVERITY_LABELS, standingOf } from './case-labels.ts';

/** A table of cases; `withMember` adds the member, for cases of several members. */
export async function CaseTable({
  caption,
  rows,
  people,
  withMember = true,
}: {
  caption: string;
  rows: readonly CaseRow[];
  people: People;
  withMember?: boolean;
}) {
  const t = await messagesFor('cases');
  const common = await messagesFor('common');
  const say = await messagesFor('operations');
  const replaced = await replacedAmong(runtime().db, people.guildId, rows);
  return (
    <Table caption={caption} cards>
      <thead>
        <tr>
          <HeaderCell>{t('case')}</HeaderCell>
          <HeaderCell>{t('kind')}</HeaderCell>
          {withMember ? <HeaderCell>{t('member')}</HeaderCell> : null}
          <HeaderCell>{t('reason')}</HeaderCell>
          <HeaderCell>{t('standing')}</HeaderCell>
          <HeaderCell>{t('moderator')}</HeaderCell>
          <HeaderCell>{t('issued')}</HeaderCell>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const standing = standingOf(row);
          return (
            <Row key={row.id}>
              <Cell label={t('case')} className="tabular-nums">
                <RowLink href={`/guilds/${people.guildId}/cases/${row.case_number}`}>
                  #{row.case_number}
                </RowLink>
              </Cell>
              <Cell label={t('kind')} className="whitespace-nowrap">
                <span>
                  {say(kindName(row.kind))}
                  {row.severity === null ? null : (
                    <span className="text-ink-soft"> · {common(SEVERITY_LABELS[row.severity])}</span>
                  )}
                </span>
              </Cell>
              {withMember ? (
                <Cell label={t('member')}>
                  <Person id={row.user_id} people={people} />
                </Cell>
              ) : null}
              <Cell label={t('reason')} className="wrap-anywhere sm:max-w-96">
                <span className="line-clamp-2">
                  {row.reason ?? <span className="text-ink-soft">{t('noReason')}</span>}
                </span>
              </Cell>
              <Cell label={t('standing')} className="whitespace-nowrap">
                <Badge tone={standing.tone}>{t(replaced.has(row.id) ? 'replaced' : standing.word)}</Badge>
                {row.active && row.expires_at !== null ? (
                  <span className="text-ink-soft block text-xs">
                    {t('until')} <RelativeTime iso={row.expires_at.toISOString()} />
                  </span>
                ) : null}
              </Cell>
              <Cell label={t('moderator')}>
                <Person id={row.issued_by} people={people} />
              </Cell>
              <Cell label={t('issued')} className="text-ink-soft">
                <RelativeTime iso={row.issued_at.toISOString()} />
              </Cell>
            </Row>
          );
        })}
      </tbody>
    </Table>
  );
}

/** The ids of the people that cases name. */
export function peopleInCases(rows: readonly CaseRow[]): string[] {
  return rows.flatMap(({ user_id, issued_by }) => [user_id, issued_by]);
}
