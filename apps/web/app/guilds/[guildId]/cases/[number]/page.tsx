import { CASE_KINDS, caseKind } from '@bailiff/core';
import { type CaseFile, caseFile } from '@bailiff/engine/cases/case-list';
import { readableKinds } from '@bailiff/engine/cases/cases';
import { escalationOfCase } from '@bailiff/engine/cases/escalation';
import { evidenceOf, messagesOf } from '@bailiff/engine/cases/evidence';
import { linksOf } from '@bailiff/engine/cases/links';
import { gameSanctionsOfCase } from '@bailiff/engine/servers/game-sanctions-of-case';
import { lengthIn } from '@bailiff/messages/lengths';
import { notFound } from 'next/navigation';
import { AppealOfCase } from '#components/appeals/appeal-of-case.tsx';
import { CaseAudit } from '#components/cases/case-audit.tsx';
import { CaseInGames } from '#components/cases/case-in-games.tsx';
import { isOverdue, kindName, SEVERITY_LABELS, standingOf } from '#components/cases/case-labels.ts';
import { CaseTimeline } from '#components/cases/case-timeline.tsx';
import { EditCase } from '#components/cases/edit-case.tsx';
import { EndCase } from '#components/cases/end-case.tsx';
import { AboutMessages, Evidence } from '#components/cases/evidence.tsx';
import { LinkedCases } from '#components/cases/linked-cases.tsx';
import { kept } from '#components/kept.tsx';
import { Live } from '#components/live.tsx';
import { Person } from '#components/members/person.tsx';
import { Messages } from '#components/messages.tsx';
import { NoAccess } from '#components/no-access.tsx';
import { Badge } from '#components/ui/badge.tsx';
import { LinkButton } from '#components/ui/button.tsx';
import { Link } from '#components/ui/link.tsx';
import { Fact, Facts, PageHeader, Panel, Section } from '#components/ui/panel.tsx';
import { RelativeTime } from '#components/ui/relative-time.tsx';
import { lackingOf } from '#src/capability-name.ts';
import { gamePlaces } from '#src/game-places.ts';
import { currentLocale, messagesFor } from '#src/messages.ts';
import { caseOffer } from '#src/offers.ts';
import { numberOf } from '#src/page-query.ts';
import { numberedTitle } from '#src/page-title.ts';
import { requireGuild } from '#src/pages.ts';
import { peopleOf } from '#src/people.ts';
import { runtime } from '#src/runtime.ts';

export const generateMetadata = ({ params }: Props) => numberedTitle(params, (t) => t('cases'));

interface Props {
  params: Promise<{ guildId: string; number: string }>;
}

export default kept(CasePage);

async function CasePage({ params }: Props) {
  const { session, guild } = await requireGuild(params);
  const t = await messagesFor('cases');
  const readable = readableKinds(guild.capabilities);
  const [reader] = readable;
  if (reader === undefined) return <NoAccess title={t('title')} needs={CASE_KINDS.strike.reader} />;
  const number = numberOf((await params).number);
  const { db } = runtime();
  const file = number === undefined ? null : await caseFile(db, guild, number);
  if (file === null) notFound();
  const { row } = file;
  const overdue = isOverdue(row);
  // A softban is a ban that should have been lifted at once.
  const ending = row.active || overdue ? caseOffer(overdue ? 'ban' : row.kind) : undefined;
  const needed = [caseKind(row.kind).writer, ...(ending === undefined ? [] : [ending.needs])];
  const messages = await messagesOf(db, row.id);
  const inGames = await gameSanctionsOfCase(
    db,
    {
      guildId: guild.id,
      userId: row.user_id,
      number: row.case_number,
      kind: row.kind,
      isInForce: row.active,
      issuedAt: row.issued_at,
    },
    new Date(),
  );
  const [escalation, links, evidence, games, people] = await Promise.all([
    escalationOfCase(db, guild.id, row.id),
    linksOf(db, row.id),
    evidenceOf(db, row.id),
    gamePlaces(guild.id, row.user_id),
    peopleOf(guild, [
      row.user_id,
      row.issued_by,
      row.ended_by,
      ...messages.map(({ author_id }) => author_id),
      ...file.changes.map(({ changedBy }) => changedBy),
      ...file.audit.map(({ actor_user_id }) => actor_user_id),
      ...inGames.flatMap(({ sent }) => sent?.userId ?? []),
    ]),
  ]);
  const common = await messagesFor('common');
  const say = await messagesFor('operations');
  const locale = await currentLocale();
  const standing = standingOf(row, file.replacedBy !== null);
  const heading = t('heading', { kind: say(kindName(row.kind)), number: String(row.case_number) });
  const player = [row.player_name, row.in_game_id].filter((name) => name !== null).join(' · ');
  return (
    <>
      <PageHeader
        title={heading}
        actions={
          <>
            <LinkButton href={`/guilds/${guild.id}/cases`}>{t('allCases')}</LinkButton>
            <Messages namespaces={['cases', 'games', 'operations']}>
              <EditCase
                guildId={guild.id}
                caseId={row.id}
                number={row.case_number}
                userId={row.user_id}
                reason={row.reason}
                severity={row.active ? row.severity : null}
                length={
                  row.active && (row.kind === 'ban' || row.kind === 'mute')
                    ? { operation: `${row.kind}s.change`, minutes: row.duration_minutes }
                    : null
                }
                needs={caseKind(row.kind).writer}
                capabilities={guild.capabilities}
              />
              {ending === undefined ? null : (
                <EndCase
                  guildId={guild.id}
                  offer={ending}
                  caseId={row.id}
                  number={row.case_number}
                  userId={row.user_id}
                  capabilities={guild.capabilities}
                  games={games}
                />
              )}
            </Messages>
          </>
        }
        obstacles={[await lackingOf(guild.capabilities, needed)]}
      />
      <div className="grid items-start gap-x-6 lg:grid-cols-[minmax(0,22rem)_minmax(0,1fr)]">
        <Panel className="mb-7 p-4">
          <Facts>
            <Fact name={t('standing')}>
              <Badge tone={standing.tone}>{(await messagesFor('standing'))(standing.word)}</Badge>
              {overdue ? (
                <span className="text-ink-soft mt-1 block text-xs">
                  {(await messagesFor('inForce'))('overdueHint')}
                </span>
              ) : null}
            </Fact>
            <Fact name={t('member')}>
              <Person id={row.user_id} people={people} />
              {people.names[row.user_id] === undefined ? null : (
                <span className="text-ink-soft block font-mono text-xs">{row.user_id}</span>
              )}
            </Fact>
            <Fact name={t('moderator')}>
              <Person id={row.issued_by} people={people} />
            </Fact>
            <Fact name={t('issued')}>
              <RelativeTime iso={row.issued_at.toISOString()} />
            </Fact>
            {row.import_id === null ? null : (
              <Fact name={t('origin')}>{t(hasEndOfOurs(file) ? 'importedWithEnd' : 'imported')}</Fact>
            )}
            {row.severity === null ? null : (
              <Fact name={t('severity')}>{common(SEVERITY_LABELS[row.severity])}</Fact>
            )}
            {row.category === null ? null : <Fact name={t('category')}>{row.category}</Fact>}
            {player === '' ? null : <Fact name={t('player')}>{player}</Fact>}
            {caseKind(row.kind).term === 'none' ? null : (
              <Fact name={t('length')}>
                {row.duration_minutes === null
                  ? common('permanent')
                  : lengthIn(locale, row.duration_minutes * 60)}
              </Fact>
            )}
            {row.expires_at !== null && row.active ? (
              <Fact name={t('ends')}>
                <RelativeTime iso={row.expires_at.toISOString()} />
              </Fact>
            ) : null}
            <AppealOfCase guild={guild} userId={session.userId} number={row.case_number} />
          </Facts>
          <Messages namespaces={['cases', 'operations']}>
            <LinkedCases
              guildId={guild.id}
              caseId={row.id}
              links={links
                .filter(({ kind }) => readable.includes(kind))
                .map(({ case_number: number, kind }) => ({ number, name: say(kindName(kind)) }))}
              canLink={guild.capabilities.includes(caseKind(row.kind).writer)}
            />
          </Messages>
        </Panel>
        <div className="min-w-0">
          <Section title={t('timeline')}>
            <CaseTimeline file={file} escalation={escalation} people={people} />
          </Section>
          <AboutMessages guildId={guild.id} messages={messages} people={people} />
          <Evidence
            guildId={guild.id}
            caseId={row.id}
            files={evidence}
            canAttach={
              guild.capabilities.includes(caseKind(row.kind).writer) && row.user_id !== session.userId
            }
          />
          <CaseInGames
            guild={guild}
            sanctions={inGames}
            people={people}
            userId={row.user_id}
            number={row.case_number}
          />
          {guild.capabilities.includes('audit.read') ? (
            <Section
              title={t('audit')}
              actions={
                file.hasMoreAudit ? (
                  <Link href={`/guilds/${guild.id}/audit?target=${row.id}`} className="text-accent">
                    {t('auditAll')}
                  </Link>
                ) : undefined
              }
            >
              <Panel>
                <CaseAudit caption={`${t('audit')}: ${heading}`} entries={file.audit} people={people} />
              </Panel>
            </Section>
          ) : null}
        </div>
      </div>
      <Live guildId={guild.id} kinds={['case', 'audit', 'appeal']} />
    </>
  );
}

/** Whether a moderator has given an imported ban another end, at which Bailiff lifts it. */
function hasEndOfOurs({ row, changes }: CaseFile): boolean {
  return (
    row.kind === 'ban' &&
    row.active &&
    row.expires_at !== null &&
    changes.some(({ actionId, after }) => after.expires_at !== undefined && actionId !== row.import_id)
  );
}
