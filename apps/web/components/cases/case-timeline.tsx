import type { CaseFile, CaseOrigin } from '@bailiff/engine/cases/case-list';
import type { CaseRow } from '@bailiff/engine/cases/cases';
import type { CaseChange } from '@bailiff/engine/cases/changes';
import type { EscalationLink } from '@bailiff/engine/cases/escalation';
import { sayUndelivered, type Translator } from '@bailiff/messages';
import { BellOff, CornerDownRight, Gavel, Hourglass, Pencil, Replace, Undo2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { Person } from '#components/members/person.tsx';
import { Link } from '#components/ui/link.tsx';
import { Timeline, TimelineEntry } from '#components/ui/timeline.tsx';
import { currentLocale, messagesFor } from '#src/messages.ts';
import type { People } from '#src/people.ts';
import { endedBy, isOverdue, issuedBy, originText } from './case-labels.ts';
import { ChangeOfCase } from './change-of-case.tsx';
import { Quoted } from './quoted.tsx';

const ICON = 15;

/** The timeline of a case: who issued it and where, its effects, and how it ended. */
export async function CaseTimeline({
  file: { row, issued, ended, notice, changes, replacedBy },
  escalation,
  people,
}: {
  file: CaseFile;
  escalation: EscalationLink | null;
  people: People;
}) {
  const t = await messagesFor('cases');
  const say = await messagesFor('operations');
  const person = (id: string) => ({ person: () => <Person id={id} people={people} /> });
  const issuedAt = row.issued_at.toISOString();
  const who = people.names[row.user_id] ?? row.user_id;
  const undelivered = notice === null ? null : sayUndelivered(await currentLocale(), notice, who);
  return (
    <Timeline>
      <TimelineEntry
        icon={<Gavel size={ICON} />}
        tone="bad"
        at={issuedAt}
        title={say.rich(issuedBy(row.kind), person(row.issued_by))}
      >
        <Origin>{originText(t, issued)}</Origin>
        <Quoted text={firstReason(row.reason, changes)} none={t('noReason')} />
      </TimelineEntry>
      {undelivered === null ? null : (
        <TimelineEntry icon={<BellOff size={ICON} />} tone="warn" at={issuedAt} title={undelivered} />
      )}
      {escalation === null ? null : (
        <TimelineEntry
          icon={<CornerDownRight size={ICON} />}
          tone="warn"
          at={issuedAt}
          title={<EscalationText link={escalation} caseId={row.id} guildId={people.guildId} />}
        />
      )}
      {changes.map((change) => (
        <TimelineEntry
          key={change.id}
          icon={<Pencil size={ICON} />}
          at={change.changedAt.toISOString()}
          title={t.rich('changedBy', person(change.changedBy))}
        >
          <ChangeOfCase change={change} />
        </TimelineEntry>
      ))}
      <EndOfCase row={row} ended={ended} replacedBy={replacedBy} people={people} t={t} say={say} />
    </Timeline>
  );
}

/** The entry of how a case ended, or of when it ends by itself; null for one that goes on until somebody ends it. */
export function EndOfCase({
  row,
  ended,
  replacedBy,
  people,
  t,
  say,
}: {
  row: Pick<
    CaseRow,
    'kind' | 'active' | 'expires_at' | 'ended_at' | 'ended_by' | 'end_reason' | 'end_failed_at'
  >;
  ended: CaseOrigin | null;
  replacedBy: number | null;
  people: People;
  t: Translator<'cases'>;
  say: Translator<'operations'>;
}) {
  if (row.ended_at === null)
    return row.expires_at === null ? null : (
      <TimelineEntry
        icon={<Hourglass size={ICON} />}
        at={row.expires_at.toISOString()}
        title={t(row.active ? 'runsOut' : isOverdue(row) ? 'shouldHaveEnded' : 'ranOut')}
      />
    );
  if (replacedBy !== null)
    return (
      <TimelineEntry
        icon={<Replace size={ICON} />}
        at={row.ended_at.toISOString()}
        title={t.rich('replacedBy', {
          case: () => <CaseLink guildId={people.guildId} number={replacedBy} />,
        })}
      />
    );
  const endedWords = endedBy(row.kind);
  const { ended_by } = row;
  return (
    <TimelineEntry
      icon={<Undo2 size={ICON} />}
      tone="good"
      at={row.ended_at.toISOString()}
      title={
        ended_by === null || endedWords === null
          ? t('ended')
          : say.rich(endedWords, { person: () => <Person id={ended_by} people={people} /> })
      }
    >
      {ended === null ? null : <Origin>{originText(t, ended)}</Origin>}
      <Quoted text={row.end_reason} none={t('noReason')} />
    </TimelineEntry>
  );
}

async function EscalationText({
  link,
  caseId,
  guildId,
}: {
  link: EscalationLink;
  caseId: string;
  guildId: string;
}) {
  const t = await messagesFor('cases');
  const { strike, sanctionCase, points, sanction } = link;
  const linked = (number: number) => ({ case: () => <CaseLink guildId={guildId} number={number} /> });
  if (strike.id !== caseId) return t.rich('followsFrom', { points, ...linked(strike.caseNumber) });
  if (sanctionCase === null) return t('leadsNowhere', { points, sanction });
  return t.rich('leadsTo', { points, ...linked(sanctionCase.caseNumber) });
}

function CaseLink({ guildId, number }: { guildId: string; number: number }) {
  return (
    <Link
      href={`/guilds/${guildId}/cases/${number}`}
      className="text-accent underline decoration-accent/40 underline-offset-2"
    >
      #{number}
    </Link>
  );
}

function Origin({ children }: { children: ReactNode }) {
  return <p className="text-xs">{children}</p>;
}

/** The reason that the case was opened with. */
function firstReason(reason: string | null, changes: readonly CaseChange[]): string | null {
  const first = changes.find(({ before }) => before.reason !== undefined);
  return first?.before.reason === undefined ? reason : first.before.reason;
}
