import { EMPTY_PAGE } from '@bailiff/engine/desk/paging';
import { countTickets, listTickets } from '@bailiff/engine/tickets/ticket-list';
import { redirect } from 'next/navigation';
import { GuideLink } from '#components/documents/guide-link.tsx';
import { kept } from '#components/kept.tsx';
import { ListFilters, NothingListed } from '#components/list-filters.tsx';
import { Live } from '#components/live.tsx';
import { NoAccess } from '#components/no-access.tsx';
import { SavedViews } from '#components/saved-views.tsx';
import { TicketTable } from '#components/tickets/ticket-table.tsx';
import { TICKET_PARTS, TicketTabs } from '#components/tickets/ticket-tabs.tsx';
import { PageLinks } from '#components/ui/page-links.tsx';
import { EmptyState, PageHeader, Panel } from '#components/ui/panel.tsx';
import { isNarrowed, parametersOf, readFilters } from '#src/list-filters.ts';
import { messagesFor } from '#src/messages.ts';
import { choiceIn, cursorIn, numberOf, pagesBeside, textIn, userIn } from '#src/page-query.ts';
import { pageTitle } from '#src/page-title.ts';
import { type GuildPageProps, requireGuild } from '#src/pages.ts';
import { peopleWith } from '#src/people.ts';
import { runtime } from '#src/runtime.ts';

export const generateMetadata = () => pageTitle((t) => t('tickets'));

const ROWS = 50;

export default kept(TicketsPage);

async function TicketsPage({ params, searchParams }: GuildPageProps) {
  const { session, guild } = await requireGuild(params);
  const t = await messagesFor('tickets');
  if (!guild.capabilities.includes('tickets.read'))
    return <NoAccess title={t('title')} needs="tickets.read" />;
  const query = await searchParams;
  const here = `/guilds/${guild.id}/tickets`;
  const search = textIn(query, 'q');
  const number = search?.startsWith('#') ? numberOf(search.slice(1)) : undefined;
  if (number !== undefined) redirect(`${here}/${number}`);

  const { db } = runtime();
  const part = choiceIn(query, 'status', TICKET_PARTS) ?? 'open';
  const openedBy = userIn(query, 'opener');
  const filters = readFilters(query, [
    {
      name: 'status',
      label: t('state'),
      place: 'tabs',
      options: TICKET_PARTS.map((value) => ({ value, label: t(value) })),
    },
    { name: 'q', label: t('search'), place: 'search' },
    {
      name: 'claimer',
      label: t('claimedByFilter'),
      any: t('anybody'),
      options: [{ value: 'me', label: t('me') }],
    },
    { name: 'opener', label: t('openedByFilter'), is: 'person' },
  ]);
  const given = parametersOf(filters);
  const isWrong = filters.some(({ problem }) => problem !== null);
  const [page, counts] = await Promise.all([
    isWrong
      ? EMPTY_PAGE
      : listTickets(
          db,
          guild,
          {
            status: part === 'all' ? undefined : part,
            subject: search,
            openedBy,
            claimedBy: given.claimer === 'me' ? session.userId : undefined,
          },
          cursorIn(query, ROWS),
        ),
    countTickets(db, guild),
  ]);
  const people = await peopleWith(
    guild,
    session.userId,
    openedBy,
    page.rows.flatMap((row) => [row.opened_by, row.claimed_by, row.closed_by]),
  );
  return (
    <>
      <PageHeader title={t('title')} actions={<SavedViews userId={session.userId} />}>
        {t('lead')} <GuideLink topic="tickets" />
      </PageHeader>
      <TicketTabs guildId={guild.id} current={part} counts={counts} given={given} />
      <ListFilters
        guildId={guild.id}
        label={t('filter')}
        path={here}
        filters={filters}
        names={people.names}
      />
      <Panel>
        {isWrong ? (
          <NothingListed filters={filters} />
        ) : page.rows.length > 0 ? (
          <TicketTable
            caption={t('title')}
            rows={page.rows}
            people={people}
            reader={{ userId: session.userId, isOwner: guild.isOwner, capabilities: guild.capabilities }}
          />
        ) : isNarrowed(filters) || part !== 'open' ? (
          <EmptyState title={t('none')}>{t('noneHint')}</EmptyState>
        ) : (
          <EmptyState title={t('empty')}>{t('emptyHint')}</EmptyState>
        )}
      </Panel>
      <PageLinks {...pagesBeside(here, given, page)} />
      <Live guildId={guild.id} kinds={['ticket']} />
    </>
  );
}
