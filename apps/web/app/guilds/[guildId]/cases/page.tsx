import { CASE_STANDINGS, issuersOfCases, listCases } from '@bailiff/engine/cases/case-list';
import { readableKinds } from '@bailiff/engine/cases/cases';
import { EMPTY_PAGE } from '@bailiff/engine/desk/paging';
import { redirect } from 'next/navigation';
import { kindName } from '#components/cases/case-labels.ts';
import { CaseTable, peopleInCases } from '#components/cases/case-table.tsx';
import { Live } from '#components/live.tsx';
import { NotAnId } from '#components/members/not-an-id.tsx';
import { NoAccess } from '#components/no-access.tsx';
import { FilterBar, FilterSelect, FilterText } from '#components/ui/filter-bar.tsx';
import { PageLinks } from '#components/ui/page-links.tsx';
import { EmptyState, PageHeader, Panel } from '#components/ui/panel.tsx';
import { SearchField } from '#components/ui/search-field.tsx';
import { messagesFor } from '#src/messages.ts';
import {
  choiceIn,
  cursorIn,
  dayIn,
  isUserId,
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

export const generateMetadata = () => pageTitle((t) => t('cases'));

const ROWS = 50;
const FILTERS = ['q', 'kind', 'standing', 'by', 'member', 'from', 'to'] as const;

interface Props {
  params: Promise<{ guildId: string }>;
  searchParams: Promise<PageQuery>;
}

export default async function CasesPage({ params, searchParams }: Props) {
  const { guild } = await requireGuild(params);
  const t = await messagesFor('cases');
  const kinds = readableKinds(guild.capabilities);
  if (kinds.length === 0) return <NoAccess title={t('title')} needs="strikes.read" />;
  const query = await searchParams;
  const here = `/guilds/${guild.id}/cases`;
  const search = textIn(query, 'q');
  const number = search?.startsWith('#') ? numberOf(search.slice(1)) : undefined;
  if (number !== undefined) redirect(`${here}/${number}`);

  const { db } = runtime();
  const searchedUserId = search !== undefined && isUserId(search) ? search : undefined;
  const filters = {
    kind: choiceIn(query, 'kind', kinds),
    standing: choiceIn(query, 'standing', CASE_STANDINGS),
    userId: userIn(query, 'member') ?? searchedUserId,
    issuedBy: userIn(query, 'by'),
    from: dayIn(query, 'from'),
    until: dayIn(query, 'to', true),
    words: searchedUserId === undefined ? search : undefined,
  };
  const notAnId = notUserIn(query, 'member');
  const [page, issuers] = await Promise.all([
    notAnId === undefined ? listCases(db, guild, filters, cursorIn(query, ROWS)) : EMPTY_PAGE,
    issuersOfCases(db, guild),
  ]);
  const people = await peopleOf(guild, [...peopleInCases(page.rows), ...issuers]);
  const say = await messagesFor('operations');
  const given = Object.fromEntries(FILTERS.map((name) => [name, textIn(query, name)]));
  const active = FILTERS.some((name) => given[name] !== undefined);
  const moderators = issuers
    .map((id) => ({ value: id, label: people.names[id] ?? id }))
    .sort((a, b) => a.label.localeCompare(b.label));

  return (
    <>
      <PageHeader title={t('title')}>{t('lead')}</PageHeader>
      <FilterBar label={t('filter')} clearHref={here} active={active}>
        <SearchField label={t('search')} defaultValue={search} />
        <FilterSelect
          name="kind"
          label={t('kind')}
          defaultValue={filters.kind}
          options={[
            { value: '', label: t('allKinds') },
            ...kinds.map((kind) => ({ value: kind, label: say(kindName(kind)) })),
          ]}
        />
        <FilterSelect
          name="standing"
          label={t('standing')}
          defaultValue={filters.standing}
          options={[
            { value: '', label: t('anyStanding') },
            { value: 'in_force', label: t('inForce') },
            { value: 'ended', label: t('ended') },
          ]}
        />
        <FilterSelect
          name="by"
          label={t('moderator')}
          defaultValue={filters.issuedBy}
          options={[{ value: '', label: t('anyModerator') }, ...moderators]}
        />
        <FilterText name="member" label={t('memberId')} defaultValue={given.member} />
        <FilterText name="from" type="date" label={t('from')} defaultValue={given.from} />
        <FilterText name="to" type="date" label={t('to')} defaultValue={given.to} />
      </FilterBar>
      <NotAnId guildId={guild.id} text={notAnId} />
      <Panel>
        {page.rows.length > 0 ? (
          <CaseTable caption={t('title')} rows={page.rows} people={people} />
        ) : active ? (
          <EmptyState title={t('none')}>{t('noneHint')}</EmptyState>
        ) : (
          <EmptyState title={t('empty')}>{t('emptyHint')}</EmptyState>
        )}
      </Panel>
      <PageLinks {...pagesBeside(here, given, page)} />
      <Live guildId={guild.id} kinds={['case']} />
    </>
  );
}
