import { issuersOfCases, listCases } from '@bailiff/engine/cases/case-list';
import { CASE_STANDINGS } from '@bailiff/engine/cases/case-search';
import { readableKinds } from '@bailiff/engine/cases/cases';
import { EMPTY_PAGE } from '@bailiff/engine/desk/paging';
import { redirect } from 'next/navigation';
import { kindName } from '#components/cases/case-labels.ts';
import { CaseTable, peopleInCases } from '#components/cases/case-table.tsx';
import { GuideLink } from '#components/documents/guide-link.tsx';
import { kept } from '#components/kept.tsx';
import { ListFilters, NothingListed } from '#components/list-filters.tsx';
import { ListTools } from '#components/list-tools.tsx';
import { Live } from '#components/live.tsx';
import { NoAccess } from '#components/no-access.tsx';
import { LinkButton } from '#components/ui/button.tsx';
import { PageLinks } from '#components/ui/page-links.tsx';
import { EmptyState, PageHeader, Panel } from '#components/ui/panel.tsx';
import { isNarrowed, parametersOf, readFilters } from '#src/list-filters.ts';
import { messagesFor } from '#src/messages.ts';
import {
  choiceIn,
  cursorIn,
  dayIn,
  isUserId,
  numberOf,
  pagesBeside,
  textIn,
  userIn,
} from '#src/page-query.ts';
import { pageTitle } from '#src/page-title.ts';
import { columnsOf, type GuildPageProps, requireGuild } from '#src/pages.ts';
import { peopleOf, peopleWith } from '#src/people.ts';
import { runtime } from '#src/runtime.ts';
import { isTooSlow } from '#src/too-slow.ts';

export const generateMetadata = () => pageTitle((t) => t('cases'));

const ROWS = 50;

export default kept(CasesPage);

async function CasesPage({ params, searchParams }: GuildPageProps) {
  const { session, guild } = await requireGuild(params);
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
  const issuedBy = userIn(query, 'by');
  const member = userIn(query, 'member');
  const issuers = await issuersOfCases(db, guild);
  const say = await messagesFor('operations');
  const standings = await messagesFor('standing');
  const named = await peopleWith(guild, session.userId, member, issuers);
  const moderators = [...new Set(issuedBy === undefined ? issuers : [...issuers, issuedBy])]
    .map((id) => ({ value: id, label: named.names[id] ?? id }))
    .sort((a, b) => a.label.localeCompare(b.label));
  const filters = readFilters(query, [
    { name: 'q', label: t('search'), place: 'search' },
    {
      name: 'kind',
      label: t('kind'),
      any: t('allKinds'),
      options: kinds.map((kind) => ({ value: kind, label: say(kindName(kind)) })),
    },
    {
      name: 'standing',
      label: t('standing'),
      any: t('anyStanding'),
      options: [
        { value: 'in_force', label: standings('inForce') },
        { value: 'ended', label: t('ended') },
        { value: 'overdue', label: standings('overdue') },
      ],
    },
    { name: 'by', label: t('moderator'), any: t('anyModerator'), options: moderators },
    { name: 'member', label: t('memberId'), is: 'person' },
    { name: 'from', label: t('from'), is: 'day' },
    { name: 'to', label: t('to'), is: 'day' },
  ]);
  const isWrong = filters.some(({ problem }) => problem !== null);
  // No case is about two members.
  const isOfTwo = member !== undefined && searchedUserId !== undefined && member !== searchedUserId;
  const found =
    isWrong || isOfTwo
      ? EMPTY_PAGE
      : await listCases(
          db,
          guild,
          {
            kind: choiceIn(query, 'kind', kinds),
            standing: choiceIn(query, 'standing', CASE_STANDINGS),
            userId: member ?? searchedUserId,
            issuedBy,
            from: dayIn(query, 'from'),
            until: dayIn(query, 'to', true),
            words: searchedUserId === undefined ? search : undefined,
          },
          cursorIn(query, ROWS),
        ).catch((error: unknown) => {
          if (isTooSlow(error)) return 'too slow' as const;
          throw error;
        });
  const page = found === 'too slow' ? EMPTY_PAGE : found;
  const people = await peopleOf(guild, peopleInCases(page.rows));

  return (
    <>
      <PageHeader
        title={t('title')}
        actions={<ListTools userId={session.userId} list="cases" label={(column) => t(column)} />}
      >
        {t('lead')} <GuideLink topic="lists" />
      </PageHeader>
      <ListFilters guildId={guild.id} label={t('filter')} path={here} filters={filters} names={named.names} />
      <Panel>
        {isWrong ? (
          <NothingListed filters={filters} />
        ) : found === 'too slow' ? (
          <EmptyState title={t('tooSlowTitle')}>{t('tooSlowHint')}</EmptyState>
        ) : page.rows.length > 0 ? (
          <CaseTable
            caption={t('title')}
            rows={page.rows}
            people={people}
            columns={await columnsOf('cases')}
          />
        ) : isNarrowed(filters) ? (
          <EmptyState title={t('none')}>{t('noneHint')}</EmptyState>
        ) : (
          <EmptyState
            title={t('empty')}
            action={
              guild.capabilities.includes('members.read') ? (
                <LinkButton href={`/guilds/${guild.id}/members`}>{t('findMember')}</LinkButton>
              ) : undefined
            }
          >
            {t('emptyHint')}
          </EmptyState>
        )}
      </Panel>
      <PageLinks {...pagesBeside(here, parametersOf(filters), page)} />
      <Live guildId={guild.id} kinds={['case']} />
    </>
  );
}
