import { appealFile } from '@bailiff/engine/appeals/appeal-list';
import { isWaiting } from '@bailiff/engine/appeals/appeals';
import { notFound } from 'next/navigation';
import { Answers } from '#components/appeals/answers.tsx';
import { STATE_TONES, shownState } from '#components/appeals/appeal-labels.ts';
import { RefuseAppeal, VoteOnAppeal } from '#components/appeals/decide.tsx';
import { kindName } from '#components/cases/case-labels.ts';
import { EndCase } from '#components/cases/end-case.tsx';
import { kept } from '#components/kept.tsx';
import { Live } from '#components/live.tsx';
import { Person } from '#components/members/person.tsx';
import { Messages } from '#components/messages.tsx';
import { NoAccess } from '#components/no-access.tsx';
import { Badge } from '#components/ui/badge.tsx';
import { LinkButton } from '#components/ui/button.tsx';
import { Link } from '#components/ui/link.tsx';
import { Obstacles } from '#components/ui/obstacles.tsx';
import { Fact, Facts, PageHeader, Panel, Section } from '#components/ui/panel.tsx';
import { RelativeTime } from '#components/ui/relative-time.tsx';
import { lackingOf } from '#src/capability-name.ts';
import { gamePlaces } from '#src/game-places.ts';
import { messagesFor } from '#src/messages.ts';
import { caseOffer } from '#src/offers.ts';
import { numberOf } from '#src/page-query.ts';
import { numberedTitle } from '#src/page-title.ts';
import { requireGuild } from '#src/pages.ts';
import { peopleOf } from '#src/people.ts';
import { runtime } from '#src/runtime.ts';

export const generateMetadata = ({ params }: Props) => numberedTitle(params, (t) => t('appeals'));

interface Props {
  params: Promise<{ guildId: string; number: string }>;
}

/** The appeal against a case, and what a moderator can do about it. */
export default kept(AppealPage);

async function AppealPage({ params }: Props) {
  const { session, guild } = await requireGuild(params);
  const t = await messagesFor('appeals');
  if (!guild.capabilities.includes('appeals.read'))
    return <NoAccess title={t('title')} needs="appeals.read" />;
  const number = numberOf((await params).number);
  const viewer = { ...guild, userId: session.userId };
  const appeal = number === undefined ? null : await appealFile(runtime().db, viewer, number);
  if (appeal === null) notFound();
  const [say, people, games] = await Promise.all([
    messagesFor('operations'),
    peopleOf(guild, [appeal.user_id, appeal.decided_by]),
    gamePlaces(guild.id, appeal.user_id),
  ]);
  const shown = shownState(appeal);
  const offer = caseOffer(appeal.kind);
  const named = { guildId: guild.id, appealId: appeal.id, number: appeal.case_number };
  const mayWrite = guild.capabilities.includes('appeals.write');
  const obstacle = appeal.user_id === session.userId ? t('isOwn') : undefined;
  const lacks = (votes: number) =>
    votes >= appeal.votes_needed ? undefined : t('votesMissing', { count: appeal.votes_needed - votes });
  // Each button lacks votes of its own.
  const lacksFor = (button: string, votes: number) =>
    lacks(votes) === undefined ? undefined : `${button}: ${lacks(votes)}`;
  const cannotWrite = mayWrite ? obstacle : t('needs', { capability: 'appeals.write' });
  return (
    <>
      <PageHeader
        title={t('heading', { number: String(appeal.case_number) })}
        actions={<LinkButton href={`/guilds/${guild.id}/appeals`}>{t('allAppeals')}</LinkButton>}
      />
      <div className="grid items-start gap-x-6 lg:grid-cols-[minmax(0,22rem)_minmax(0,1fr)]">
        <Panel className="mb-7 p-4">
          <Facts>
            <Fact name={t('state')}>
              <Badge tone={STATE_TONES[shown]}>{t(shown)}</Badge>
            </Fact>
            <Fact name={t('person')}>
              <Person id={appeal.user_id} people={people} />
            </Fact>
            <Fact name={t('case')}>
              <Link
                href={`/guilds/${guild.id}/cases/${appeal.case_number}`}
                className="text-accent underline"
              >
                #{appeal.case_number}: {say(kindName(appeal.kind))}
              </Link>
            </Fact>
            <Fact name={t('sentAt')}>
              <RelativeTime iso={appeal.sent_at.toISOString()} />
            </Fact>
            <Fact name={t('votes')}>
              {t('votesCounted', { for: String(appeal.votes_for), against: String(appeal.votes_against) })}
            </Fact>
            {appeal.decided_at === null ? null : (
              <Fact name={t('decidedAt')}>
                <RelativeTime iso={appeal.decided_at.toISOString()} />{' '}
                {appeal.decided_by === null ? null : <Person id={appeal.decided_by} people={people} />}
              </Fact>
            )}
          </Facts>
        </Panel>
        <div className="min-w-0">
          <Section title={t('written')}>
            <Panel className="p-4">
              <Answers answers={appeal.answers} />
            </Panel>
          </Section>
          {appeal.reply === null ? null : (
            <Section title={t('replied')}>
              <Panel className="p-4 whitespace-pre-wrap wrap-anywhere">{appeal.reply}</Panel>
            </Section>
          )}
          {isWaiting(appeal) && offer !== undefined ? (
            <Section title={t('decide')} lead={t('decideLead')}>
              <Messages namespaces={['appeals', 'cases', 'games', 'operations']}>
                <div className="flex flex-wrap gap-2">
                  <EndCase
                    guildId={guild.id}
                    offer={offer}
                    caseId={appeal.case_id}
                    number={appeal.case_number}
                    userId={appeal.user_id}
                    capabilities={guild.capabilities}
                    games={games}
                    obstacle={obstacle ?? lacks(appeal.votes_for)}
                  />
                  <RefuseAppeal {...named} obstacle={cannotWrite ?? lacks(appeal.votes_against)} />
                  <VoteOnAppeal {...named} obstacle={cannotWrite} />
                </div>
                <Obstacles
                  because={[
                    await lackingOf(guild.capabilities, [offer.needs, 'appeals.write']),
                    ...(obstacle === undefined
                      ? [
                          lacksFor(say(`${offer.operation}.dashboard.button`), appeal.votes_for),
                          lacksFor(t('refuse'), appeal.votes_against),
                        ]
                      : [obstacle]),
                  ]}
                />
              </Messages>
            </Section>
          ) : null}
        </div>
      </div>
      <Live guildId={guild.id} kinds={['appeal', 'case']} />
    </>
  );
}
