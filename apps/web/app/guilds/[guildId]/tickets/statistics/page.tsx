import type { OutputOf } from '@bailiff/core';
import { readForPage } from '@bailiff/engine/calls/read-call';
import type { GuildView } from '@bailiff/engine/guilds/guilds';
import { countTickets } from '@bailiff/engine/tickets/ticket-list';
import { roughLengthIn } from '@bailiff/messages/lengths';
import type { ReactNode } from 'react';
import { countedInTime, DaysLinks, daysIn, NotCounted } from '#components/counted-days.tsx';
import { kept } from '#components/kept.tsx';
import { Person } from '#components/members/person.tsx';
import { NoAccess } from '#components/no-access.tsx';
import { TicketTabs } from '#components/tickets/ticket-tabs.tsx';
import { Fact, Facts, PageHeader, Panel, Section } from '#components/ui/panel.tsx';
import { Cell, Row, Table, TableHead } from '#components/ui/table.tsx';
import { Written } from '#components/ui/written.tsx';
import { currentLocale, messagesFor } from '#src/messages.ts';
import { pageTitle } from '#src/page-title.ts';
import { type GuildPageProps, requireGuild } from '#src/pages.ts';
import { peopleOf } from '#src/people.ts';
import { runtime } from '#src/runtime.ts';

export const generateMetadata = () => pageTitle((t) => t('tickets'));

type Statistics = OutputOf<'tickets.stats'>;

export default kept(TicketStatisticsPage);

async function TicketStatisticsPage({ params, searchParams }: GuildPageProps) {
  const { session, guild } = await requireGuild(params);
  const t = await messagesFor('ticketStatistics');
  if (!guild.capabilities.includes('tickets.read'))
    return <NoAccess title={t('title')} needs="tickets.read" />;
  const days = daysIn(await searchParams);
  const list = `/guilds/${guild.id}/tickets`;
  const { db } = runtime();
  const [counted, counts] = await Promise.all([
    countedInTime(guild.id, () =>
      readForPage(db, { ...guild, userId: session.userId }, 'tickets.stats', { days }),
    ),
    countTickets(db, guild),
  ]);
  return (
    <>
      <PageHeader title={t('title')}>{t('lead')}</PageHeader>
      <TicketTabs guildId={guild.id} current="statistics" counts={counts} />
      <DaysLinks
        label={t('span')}
        path={`${list}/statistics`}
        days={days}
        nameOf={(count) => t('days', { count })}
      />
      {counted === null ? <NotCounted /> : <Counted guild={guild} counted={counted} />}
    </>
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
  const cellsOf = (of: Parameters<typeof rows>[0]) =>
    rows(of).map(([name, value]) => (
      <Cell key={name} label={name} className="tabular-nums">
        {value}
      </Cell>
    ));
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
                    {cellsOf(of)}
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
                    {cellsOf(of)}
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
