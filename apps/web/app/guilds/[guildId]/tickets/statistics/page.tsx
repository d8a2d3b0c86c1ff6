import type { OutputOf } from '@bailiff/core';
import { readForPage } from '@bailiff/engine/calls/read-call';
import { isDatabaseUnavailable } from '@bailiff/engine/database/database-errors';
import { pageInTurn } from '@bailiff/engine/database/in-turn';
import type { GuildView } from '@bailiff/engine/guilds/guilds';
import { roughLengthIn } from '@bailiff/messages/lengths';
import type { ReactNode } from 'react';
import { Person } from '#components/members/person.tsx';
import { NoAccess } from '#components/no-access.tsx';
import { LinkButton } from '#components/ui/button.tsx';
import { EmptyState, Fact, Facts, PageHeader, Panel, Section } from '#components/ui/panel.tsx';
import { Cell, Row, Table, TableHead } from '#components/ui/table.tsx';
import { TabLinks } from '#components/ui/tabs.tsx';
import { Written } from '#components/ui/written.tsx';
import { currentLocale, messagesFor } from '#src/messages.ts';
import { addressWith, type PageQuery, textIn } from '#src/page-query.ts';
import { pageTitle } from '#src/page-title.ts';
import { requireGuild } from '#src/pages.ts';
import { peopleOf } from '#src/people.ts';
import { runtime } from '#src/runtime.ts';

export const generateMetadata = () => pageTitle((t) => t('tickets'));

const SPANS = [7, 30, 90] as const;
const DEFAULT_SPAN = 30;

type Statistics = OutputOf<'tickets.stats'>;

interface Props {
  params: Promise<{ guildId: string }>;
  searchParams: Promise<PageQuery>;
}

export default async function TicketStatisticsPage({ params, searchParams }: Props) {
  const { session, guild } = await requireGuild(params);
  const t = await messagesFor('ticketStatistics');
  if (!guild.capabilities.includes('tickets.read'))
    return <NoAccess title={t('title')} needs="tickets.read" />;
  const asked = textIn(await searchParams, 'days');
  const days = SPANS.find((each) => String(each) === asked) ?? DEFAULT_SPAN;
  const tickets = await messagesFor('tickets');
  const list = `/guilds/${guild.id}/tickets`;
  const counted = await countedFor(guild, session.userId, days);
  return (
    <>
      <PageHeader title={t('title')} actions={<LinkButton href={list}>{tickets('allTickets')}</LinkButton>}>
        {t('lead')}
      </PageHeader>
      <TabLinks
        label={t('span')}
        items={SPANS.map((each) => ({
          href: addressWith(`${list}/statistics`, { days: each === DEFAULT_SPAN ? undefined : String(each) }),
          label: t('days', { count: each }),
          current: each === days,
        }))}
      />
      {counted === 'too slow' ? <TooSlow /> : <Counted guild={guild} counted={counted} />}
    </>
  );
}

/** Counts the tickets. If the database cannot do it in time, the page says so and the other periods stay in reach. */
async function countedFor(guild: GuildView, userId: string, days: number): Promise<Statistics | 'too slow'> {
  const { db } = runtime();
  try {
    return await pageInTurn(db, guild.id, () =>
      readForPage(db, { ...guild, userId }, 'tickets.stats', { days }),
    );
  } catch (error) {
    if (isDatabaseUnavailable(error)) return 'too slow';
    throw error;
  }
}

async function TooSlow() {
  const t = await messagesFor('overview');
  return (
    <Panel>
      <EmptyState title={t('notCountedTitle')}>{t('notCountedHint')}</EmptyState>
    </Panel>
  );
}

async function Counted({ guild, counted }: { guild: GuildView; counted: Statistics }) {
  const t = await messagesFor('ticketStatistics');
  const tickets = await messagesFor('tickets');
  const locale = await currentLocale();
  const { opened, closed, open_now: openNow, ratings, categories, people: workers } = counted;
  const people = await peopleOf(
    guild,
    workers.map(({ user_id }) => user_id),
  );
  const lengthOf = (seconds: number | null) => (seconds === null ? '–' : roughLengthIn(locale, seconds));
  const ratingOf = ({
    average_rating: average,
    ratings: count,
  }: Pick<Statistics, 'average_rating' | 'ratings'>) =>
    average === null ? '–' : t('rated', { average, count });
  const rows = (of: Omit<Statistics['people'][number], 'user_id'>): readonly [string, ReactNode][] => [
    [t('closedTitle'), of.closed],
    [t('firstAnswerTitle'), lengthOf(of.first_answer_seconds)],
    [t('untilClosedTitle'), lengthOf(of.close_seconds)],
    [t('feedbackTitle'), ratingOf(of)],
  ];
  const columns = rows(counted).map(([name]) => name);
  const named = categories.some(({ category }) => category !== null) ? categories : [];
  return (
    <>
      <Panel className="mb-7 p-4">
        {opened + closed + ratings === 0 ? <p className="text-ink-soft mb-3">{t('empty')}</p> : null}
        <Facts>
          <Fact name={t('openNow')}>{openNow}</Fact>
          <Fact name={t('openedTitle')}>{opened}</Fact>
          {rows(counted).map(([name, value]) => (
            <Fact key={name} name={name}>
              {value}
            </Fact>
          ))}
        </Facts>
      </Panel>
      {named.length === 0 ? null : (
        <Section title={t('categories')}>
          <Panel>
            <Table caption={t('categories')} cards>
              <TableHead columns={[tickets('category'), t('openedTitle'), ...columns]} />
              <tbody>
                {named.map(({ category, ...of }) => (
                  <Row key={category ?? ''}>
                    <Cell label={tickets('category')} className="wrap-anywhere">
                      {category === null ? t('noCategory') : <Written text={category} />}
                    </Cell>
                    <Cell label={t('openedTitle')} className="tabular-nums">
                      {of.opened}
                    </Cell>
                    {rows(of).map(([name, value]) => (
                      <Cell key={name} label={name} className="tabular-nums">
                        {value}
                      </Cell>
                    ))}
                  </Row>
                ))}
              </tbody>
            </Table>
          </Panel>
        </Section>
      )}
      {workers.length === 0 ? null : (
        <Section title={t('people')}>
          <Panel>
            <Table caption={t('people')} cards>
              <TableHead columns={[t('person'), ...columns]} />
              <tbody>
                {workers.map(({ user_id, ...of }) => (
                  <Row key={user_id}>
                    <Cell label={t('person')} className="wrap-anywhere">
                      <Person id={user_id} people={people} />
                    </Cell>
                    {rows(of).map(([name, value]) => (
                      <Cell key={name} label={name} className="tabular-nums">
                        {value}
                      </Cell>
                    ))}
                  </Row>
                ))}
              </tbody>
            </Table>
          </Panel>
        </Section>
      )}
      <p className="text-ink-soft max-w-prose">{t('hint')}</p>
    </>
  );
}
