import { marksOf } from '@bailiff/engine/cases/case-list';
import type { CaseRow } from '@bailiff/engine/cases/cases';
import { Person } from '#components/members/person.tsx';
import { Badge } from '#components/ui/badge.tsx';
import { RelativeTime } from '#components/ui/relative-time.tsx';
import { Cell, HeaderCell, Row, RowLink, Table } from '#components/ui/table.tsx';
import { Written } from '#components/ui/written.tsx';
import { type ColumnOf, LIST_COLUMNS } from '#src/columns.ts';
import { messagesFor } from '#src/messages.ts';
import type { People } from '#src/people.ts';
import { runtime } from '#src/runtime.ts';
import { kindName, SEVERITY_LABELS, standingOf } from './case-labels.ts';

/** A table of cases. */
export async function CaseTable({
  caption,
  rows,
  people,
  columns = LIST_COLUMNS.cases,
}: {
  caption: string;
  rows: readonly CaseRow[];
  people: People;
  columns?: readonly ColumnOf<'cases'>[];
}) {
  const t = await messagesFor('cases');
  const say = await messagesFor('operations');
  const standingWords = await messagesFor('standing');
  const common = await messagesFor('common');
  const has = (column: ColumnOf<'cases'>) => columns.includes(column);
  const marks = await marksOf(
    runtime().db,
    people.guildId,
    rows.map(({ id }) => id),
  );
  return (
    <Table caption={caption} cards>
      <thead>
        <tr>
          <HeaderCell>{t('case')}</HeaderCell>
          {LIST_COLUMNS.cases.filter(has).map((column) => (
            <HeaderCell key={column}>{t(column)}</HeaderCell>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => {
          const standing = standingOf(row, marks.get(row.id)?.isReplaced === true);
          return (
            <Row key={row.id}>
              <Cell label={t('case')} className="tabular-nums">
                <RowLink href={`/guilds/${people.guildId}/cases/${row.case_number}`}>
                  #{row.case_number}
                </RowLink>
              </Cell>
              {has('kind') ? (
                <Cell label={t('kind')} className="whitespace-nowrap">
                  <span>
                    {say(kindName(row.kind))}
                    {row.severity === null ? null : (
                      <span className="text-ink-soft"> · {common(SEVERITY_LABELS[row.severity])}</span>
                    )}
                    {row.import_id === null ? null : (
                      <span className="text-ink-soft"> · {standingWords('imported')}</span>
                    )}
                  </span>
                </Cell>
              ) : null}
              {has('member') ? (
                <Cell label={t('member')}>
                  <Person id={row.user_id} people={people} />
                </Cell>
              ) : null}
              {has('reason') ? (
                <Cell label={t('reason')} className="wrap-anywhere sm:max-w-96">
                  <span className="line-clamp-2">
                    {row.reason === null ? (
                      <span className="text-ink-soft">{t('noReason')}</span>
                    ) : (
                      <Written text={row.reason} />
                    )}
                  </span>
                </Cell>
              ) : null}
              {has('standing') ? (
                <Cell label={t('standing')} className="whitespace-nowrap">
                  <Badge tone={standing.tone}>{standingWords(standing.word)}</Badge>
                  {row.active && row.expires_at !== null ? (
                    <span className="text-ink-soft block text-xs">
                      {standingWords('ends')} <RelativeTime iso={row.expires_at.toISOString()} />
                    </span>
                  ) : null}
                </Cell>
              ) : null}
              {has('moderator') ? (
                <Cell label={t('moderator')}>
                  <Person id={row.issued_by} people={people} />
                </Cell>
              ) : null}
              {has('issued') ? (
                <Cell label={t('issued')} className="text-ink-soft">
                  <RelativeTime iso={row.issued_at.toISOString()} />
                </Cell>
              ) : null}
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
