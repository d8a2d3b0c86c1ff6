import { searchPeople } from '@bailiff/engine/guilds/people-search';
import Link from 'next/link';
import { kindName } from '#components/cases/case-labels.ts';
import { ListFilters } from '#components/list-filters.tsx';
import { Live } from '#components/live.tsx';
import { Messages } from '#components/messages.tsx';
import { NoAccess } from '#components/no-access.tsx';
import { InServer } from '#components/people/in-server.tsx';
import { PersonRow } from '#components/people/person-row.tsx';
import { LinkButton } from '#components/ui/button.tsx';
import { EmptyState, PageHeader, Panel, Section } from '#components/ui/panel.tsx';
import { RelativeTime } from '#components/ui/relative-time.tsx';
import { Cell, Row, RowLink, Table, TableHead } from '#components/ui/table.tsx';
import { readFilters } from '#src/list-filters.ts';
import { messagesFor } from '#src/messages.ts';
import { isUserId, type PageQuery, textIn } from '#src/page-query.ts';
import { pageTitle } from '#src/page-title.ts';
import { requireGuild } from '#src/pages.ts';
import { type PersonWire, personWire } from '#src/person-wire.ts';
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
  const found = (await searchPeople(runtime().db, guild, search ?? '')).people.map(personWire);
  // An id that nobody here has a record of is a person too; the list below says whether they are in the server.
  const people = found.filter((person) => person.display_name !== null || person.latest_case !== null);
  return (
    <>
      <PageHeader title={t('title')}>{t('lead')}</PageHeader>
      <ListFilters guildId={guild.id} label={t('filter')} path={here} filters={filters} />
      <Section title={t(search === undefined ? 'latest' : 'found')}>
        <Panel>
          {people.length > 0 ? (
            <Messages namespaces={['people']}>
              <PeopleTable guildId={guild.id} caption={t('title')} people={people} />
            </Messages>
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
      {search === undefined ? null : (
        <Messages namespaces={['people', 'members']}>
          <InServer guildId={guild.id} text={search} shown={people.map((person) => person.user_id)} />
        </Messages>
      )}
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
  people: readonly PersonWire[];
}) {
  const t = await messagesFor('members');
  const say = await messagesFor('operations');
  return (
    <Table caption={caption} cards>
      <TableHead columns={[t('name'), t('id'), t('latestCase')]} />
      <tbody>
        {people.map(({ latest_case: latestCase, ...person }) => (
          <Row key={person.user_id}>
            <Cell>
              <RowLink href={`/guilds/${guildId}/members/${person.user_id}`} className="no-underline!">
                <PersonRow person={person} />
              </RowLink>
            </Cell>
            <Cell label={t('id')} className="font-mono text-xs">
              {person.user_id}
            </Cell>
            <Cell label={t('latestCase')}>
              {latestCase === null ? (
                <span className="text-ink-soft">{t('noCase')}</span>
              ) : (
                <>
                  <Link
                    href={`/guilds/${guildId}/cases/${latestCase.case_number}`}
                    className="text-accent underline decoration-accent/40 underline-offset-2"
                  >
                    {say(kindName(latestCase.kind))} #{latestCase.case_number}
                  </Link>{' '}
                  <span className="text-ink-soft">
                    <RelativeTime iso={latestCase.issued_at} />
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
