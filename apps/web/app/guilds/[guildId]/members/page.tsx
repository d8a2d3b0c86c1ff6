import { type FoundPerson, searchPeople } from '@bailiff/engine/guilds/people-search';
import Link from 'next/link';
import { kindName } from '#components/cases/case-labels.ts';
import { ListFilters } from '#components/list-filters.tsx';
import { Live } from '#components/live.tsx';
import { NoAccess } from '#components/no-access.tsx';
import { LinkButton } from '#components/ui/button.tsx';
import { EmptyState, PageHeader, Panel, Section } from '#components/ui/panel.tsx';
import { RelativeTime } from '#components/ui/relative-time.tsx';
import { Cell, Row, RowLink, Table, TableHead } from '#components/ui/table.tsx';
import { readFilters } from '#src/list-filters.ts';
import { messagesFor } from '#src/messages.ts';
import { isUserId, type PageQuery, textIn } from '#src/page-query.ts';
import { pageTitle } from '#src/page-title.ts';
import { requireGuild } from '#src/pages.ts';
import { runtime } from '#src/runtime.ts';

export const generateMetadata = () => pageTitle((t) => t('members'));

interface Props {
  params: Promise<{ guildId: string }>;
  searchParams: Promise<PageQuery>;
}

export default async function MembersPage({ params, searchParams }: Props) {
  const { guild } = await requireGuild(params);
  const t = await messagesFor('members');
  if (!guild.capabilities.includes('members.read'))
    return <NoAccess title={t('title')} needs="members.read" />;
  const query = await searchParams;
  const search = textIn(query, 'q');
  const filters = readFilters(query, [{ name: 'q', label: t('search'), place: 'search' }]);
  const here = `/guilds/${guild.id}/members`;
  const { people } = await searchPeople(runtime().db, guild, search ?? '');
  return (
    <>
      <PageHeader title={t('title')}>{t('lead')}</PageHeader>
      <ListFilters guildId={guild.id} label={t('filter')} path={here} filters={filters} />
      <Section title={t(search === undefined ? 'latest' : 'found')}>
        <Panel>
          {people.length > 0 ? (
            <PeopleTable guildId={guild.id} caption={t('title')} people={people} />
          ) : search === undefined ? (
            <EmptyState title={t('empty')}>{t('emptyHint')}</EmptyState>
          ) : (
            <EmptyState
              title={t('none')}
              action={
                isUserId(search) ? (
                  <LinkButton href={`${here}/${search}`}>{t('openRecord', { id: search })}</LinkButton>
                ) : undefined
              }
            >
              {t('noneHint')}
            </EmptyState>
          )}
        </Panel>
      </Section>
      <Live guildId={guild.id} kinds={['case']} />
    </>
  );
}

async function PeopleTable({
  guildId,
  caption,
  people,
}: {
  guildId: string;
  caption: string;
  people: readonly FoundPerson[];
}) {
  const t = await messagesFor('members');
  const say = await messagesFor('operations');
  return (
    <Table caption={caption} cards>
      <TableHead columns={[t('name'), t('id'), t('latestCase')]} />
      <tbody>
        {people.map(({ userId, displayName, username, latestCase }) => (
          <Row key={userId}>
            <Cell label={t('name')}>
              <RowLink href={`/guilds/${guildId}/members/${userId}`}>
                {displayName ?? t('unknownName', { id: userId })}
              </RowLink>
              {username === null ? null : <span className="text-ink-soft block text-xs">@{username}</span>}
            </Cell>
            <Cell label={t('id')} className="font-mono text-xs">
              {userId}
            </Cell>
            <Cell label={t('latestCase')}>
              {latestCase === null ? (
                <span className="text-ink-soft">{t('noCase')}</span>
              ) : (
                <>
                  <Link
                    href={`/guilds/${guildId}/cases/${latestCase.number}`}
                    className="text-accent underline decoration-accent/40 underline-offset-2"
                  >
                    {say(kindName(latestCase.kind))} #{latestCase.number}
                  </Link>{' '}
                  <span className="text-ink-soft">
                    <RelativeTime iso={latestCase.issuedAt.toISOString()} />
                  </span>
                </>
              )}
            </Cell>
          </Row>
        ))}
      </tbody>
    </Table>
  );
}
