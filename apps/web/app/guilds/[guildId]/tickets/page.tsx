import { TICKET_STATUSES } from '@bailiff/core';
import { EMPTY_PAGE } from '@bailiff/engine/desk/paging';
import { countTickets, listTickets } from '@bailiff/engine/tickets/ticket-list';
import { redirect } from 'next/navigation';
import { Live } from '#components/live.tsx';
import { NotAnId } from '#components/members/not-an-id.tsx';
import { NoAccess } from '#components/no-access.tsx';
import { TicketTable } from '#components/tickets/ticket-table.tsx';
import { FilterBar, FilterSelect, FilterText } from '#components/ui/filter-bar.tsx';
import { PageLinks } from '#components/ui/page-links.tsx';
import { EmptyState, PageHeader, Panel } from '#components/ui/panel.tsx';
import { SearchField } from '#components/ui/search-field.tsx';
import { TabLinks } from '#components/ui/tabs.tsx';
import { messagesFor } from '#src/messages.ts';
import {
  addressWith,
  choiceIn,
  cursorIn,
  notUserIn,
  numberOf,
  type PageQuery,
  pagesBeside,
  textIn,
  userIn,
} from '#src/page-query.ts';
import { pageTitle } from '#src/page-title.ts';
import { requireGuild } from '#src/pages.ts';
import { peopleOf } from '#src/people.ts';
import { runtime } from '#src/runtime.ts';

export const generateMetadata = () => pageTitle((t) => t('tickets'));

const ROWS = 50;
const PARTS = [...TICKET_STATUSES, 'all'] as const;

interface Props {
  params: Promise<{ guildId: string }>;
  searchParams: Promise<PageQuery>;
}

export default async function TicketsPage({ params, searchParams }: Props) {
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
  const part = choiceIn(query, 'status', PARTS) ?? 'open';
  const given = { q: search, opener: textIn(query, 'opener'), claimer: textIn(query, 'claimer') };
  const filters = {
    status: part === 'all' ? undefined : part,
    subject: search,
    openedBy: userIn(query, 'opener'),
    claimedBy: given.claimer === 'me' ? session.userId : undefined,
  };
  const notAnId = notUserIn(query, 'opener');
  const [page, counts] = await Promise.all([
    notAnId === undefined ? listTickets(db, guild, filters, cursorIn(query, ROWS)) : EMPTY_PAGE,
    countTickets(db, guild),
  ]);
  const people = await peopleOf(
    guild,
    page.rows.flatMap(({ opened_by, claimed_by, closed_by }) => [opened_by, claimed_by, closed_by]),
  );
  const active = Object.values(given).some((value) => value !== undefined);
  const status = part === 'open' ? undefined : part;
  return (
    <>
      <PageHeader title={t('title')}>{t('lead')}</PageHeader>
      <TabLinks
        label={t('parts')}
        items={PARTS.map((each) => ({
          href: addressWith(here, { status: each === 'open' ? undefined : each, ...given }),
          label: t(each),
          current: each === part,
          ...(each === 'open' || each === 'claimed' ? { count: counts[each] } : {}),
        }))}
      />
      <FilterBar label={t('filter')} clearHref={addressWith(here, { status })} active={active}>
        {status === undefined ? null : <input type="hidden" name="status" value={status} />}
        <SearchField label={t('search')} defaultValue={search} />
        <FilterSelect
          name="claimer"
          label={t('claimedByFilter')}
          defaultValue={given.claimer === 'me' ? 'me' : ''}
          options={[
            { value: '', label: t('anybody') },
            { value: 'me', label: t('me') },
          ]}
        />
        <FilterText name="opener" label={t('openedByFilter')} defaultValue={given.opener} />
      </FilterBar>
      <NotAnId guildId={guild.id} text={notAnId} />
      <Panel>
        {page.rows.length > 0 ? (
          <TicketTable
            caption={t('title')}
            rows={page.rows}
            people={people}
            reader={{ userId: session.userId, isOwner: guild.isOwner, capabilities: guild.capabilities }}
          />
        ) : active || part !== 'open' ? (
          <EmptyState title={t('none')}>{t('noneHint')}</EmptyState>
        ) : (
          <EmptyState title={t('empty')}>{t('emptyHint')}</EmptyState>
        )}
      </Panel>
      <PageLinks {...pagesBeside(here, { status, ...given }, page)} />
      <Live guildId={guild.id} kinds={['ticket']} />
    </>
  );
}
