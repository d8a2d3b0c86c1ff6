import type { CaseFile } from '@bailiff/engine/cases/case-list';
import { OUTCOME_TONES } from '#components/audit/outcome-tones.ts';
import { Person } from '#components/members/person.tsx';
import { Badge } from '#components/ui/badge.tsx';
import { Link } from '#components/ui/link.tsx';
import { RelativeTime } from '#components/ui/relative-time.tsx';
import { Cell, Table, TableHead } from '#components/ui/table.tsx';
import { messagesFor } from '#src/messages.ts';
import { operationTitle } from '#src/operation-titles.ts';
import type { People } from '#src/people.ts';

const OUTCOMES = {
  requested: 'outcomeRequested',
  performed: 'outcomePerformed',
  failed: 'outcomeFailed',
  unknown: 'outcomeUnknown',
  cancelled: 'outcomeCancelled',
  refused: 'outcomeRefused',
} as const;

/** The audit rows about a case: one for each request, with its outcome. */
export async function CaseAudit({
  caption,
  entries,
  people,
}: {
  caption: string;
  entries: CaseFile['audit'];
  people: People;
}) {
  const t = await messagesFor('cases');
  const texts = { operations: await messagesFor('operations'), events: await messagesFor('events') };
  if (entries.length === 0) return <p className="text-ink-soft px-3.5 py-3">{t('auditEmpty')}</p>;
  return (
    <Table caption={caption} cards>
      <TableHead columns={[t('when'), t('what'), t('who'), t('outcome'), t('request')]} />
      <tbody>
        {settled(entries).map((entry) => (
          <tr key={entry.id}>
            <Cell label={t('when')} className="text-ink-soft">
              <RelativeTime iso={entry.at.toISOString()} />
            </Cell>
            <Cell label={t('what')}>
              <div>
                {operationTitle(texts, entry.operation)}
                <span className="text-ink-soft block font-mono text-xs">{entry.operation}</span>
              </div>
            </Cell>
            <Cell label={t('who')}>
              {entry.actor_user_id === null ? null : <Person id={entry.actor_user_id} people={people} />}
              {entry.token_name === null ? null : (
                <span className="text-ink-soft block text-xs">
                  {t('sourceToken', { token: entry.token_name })}
                </span>
              )}
            </Cell>
            <Cell label={t('outcome')}>
              <Badge tone={OUTCOME_TONES[entry.outcome]}>{t(OUTCOMES[entry.outcome])}</Badge>
            </Cell>
            <Cell label={t('request')} className="font-mono text-xs">
              {entry.request_id === null ? null : (
                <Link
                  className="text-accent"
                  title={entry.request_id}
                  href={`/guilds/${people.guildId}/audit?request=${entry.request_id}`}
                >
                  {entry.request_id.slice(0, 12)}…
                </Link>
              )}
            </Cell>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

/** Without the rows of requests that have an outcome by now. */
function settled(entries: CaseFile['audit']): CaseFile['audit'] {
  const answered = entries
    .filter(({ outcome }) => outcome !== 'requested')
    .map(({ request_id }) => request_id);
  return entries.filter(
    ({ outcome, request_id }) => outcome !== 'requested' || !answered.includes(request_id),
  );
}
