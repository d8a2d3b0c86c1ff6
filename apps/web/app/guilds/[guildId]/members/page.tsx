import { listPresets, presetWire } from '@bailiff/engine/cases/presets';
import type { GuildView } from '@bailiff/engine/guilds/guilds';
import { FROM_THE_START, peopleInGuild, peopleOnRecord } from '@bailiff/engine/guilds/people-pages';
import { type DiscordSaid, type FoundPerson, searchPeople } from '@bailiff/engine/guilds/people-search';
import { ChevronRight } from 'lucide-react';
import { RunningActions } from '#components/actions/running-actions.tsx';
import { kindName } from '#components/cases/case-labels.ts';
import { kept } from '#components/kept.tsx';
import { ListFilters } from '#components/list-filters.tsx';
import { Live } from '#components/live.tsx';
import { LatelyAtOnce } from '#components/members/lately-at-once.tsx';
import { SelectOne, SelectPeople } from '#components/members/selection.tsx';
import { SelectionBar } from '#components/members/selection-bar.tsx';
import { Messages } from '#components/messages.tsx';
import { NoAccess } from '#components/no-access.tsx';
import { InServer } from '#components/people/in-server.tsx';
import { nameOf } from '#components/people/name-of.ts';
import { PersonRow } from '#components/people/person-row.tsx';
import { LinkButton } from '#components/ui/button.tsx';
import { Link } from '#components/ui/link.tsx';
import { EmptyState, PageHeader, Panel, Section } from '#components/ui/panel.tsx';
import { RelativeTime } from '#components/ui/relative-time.tsx';
import { Cell, Row, RowLink, Table, TableHead } from '#components/ui/table.tsx';
import { TabLinks } from '#components/ui/tabs.tsx';
import { readFilters } from '#src/list-filters.ts';
import { messagesFor } from '#src/messages.ts';
import { choiceIn, isUserId, textIn, userIn } from '#src/page-query.ts';
import { pageTitle } from '#src/page-title.ts';
import { type GuildPageProps, requireGuild } from '#src/pages.ts';
import { askingForPage } from '#src/people.ts';
import { type PersonWire, personWire } from '#src/person-wire.ts';
import { runtime } from '#src/runtime.ts';

export const generateMetadata = () => pageTitle((t) => t('members'));

const LISTS = ['latest', 'record', 'server'] as const;
type List = (typeof LISTS)[number];

export default kept(MembersPage);

async function MembersPage({ params, searchParams }: GuildPageProps) {
  const { guild, session } = await requireGuild(params);
  const t = await messagesFor('members');
  if (!guild.capabilities.includes('members.read'))
    return <NoAccess title={t('title')} needs="members.read" />;
  const query = await searchParams;
  const search = textIn(query, 'q');
  const list = search === undefined ? (choiceIn(query, 'list', LISTS) ?? 'latest') : null;
  const filters = readFilters(query, [{ name: 'q', label: t('search'), place: 'search' }]);
  const here = `/guilds/${guild.id}/members`;
  return (
    <>
      <PageHeader title={t('title')}>{t('lead')}</PageHeader>
      <ListFilters guildId={guild.id} label={t('filter')} path={here} filters={filters} />
      <TabLinks
        label={t('lists')}
        items={LISTS.map((each) => ({
          href: each === 'latest' ? here : `${here}?list=${each}`,
          label: t(LIST_NAMES[each]),
          current: each === list,
        }))}
      />
      {search === undefined ? (
        <Listed
          guild={guild}
          readerId={session.userId}
          list={list ?? 'latest'}
          after={userIn(query, 'after')}
        />
      ) : (
        <Found guild={guild} search={search} />
      )}
      <RunningActions guild={guild} userId={session.userId} of={ON_MANY} />
      <LatelyAtOnce guild={guild} />
      {/* Each refresh of the server's list would ask Discord. */}
      {list === 'server' ? null : <Live guildId={guild.id} kinds={['case']} />}
    </>
  );
}

/** What is done to the people who are selected here. */
const ON_MANY = [
  'bans.preview',
  'bans.many',
  'bans.undo',
  'mutes.preview',
  'mutes.many',
  'mutes.undo',
] as const;

const LIST_NAMES = { latest: 'latest', record: 'found', server: 'inServer' } as const satisfies Record<
  List,
  string
>;

async function Listed({
  guild,
  readerId,
  list,
  after = FROM_THE_START,
}: {
  guild: GuildView;
  readerId: string;
  list: List;
  after: string | undefined;
}) {
  const t = await messagesFor('members');
  const here = `/guilds/${guild.id}/members`;
  const { people, next, discord } = await peopleOf(guild, readerId, list, after);
  const isUnknown = list === 'server' && discord !== 'answered';
  const toServer =
    list === 'server' ? undefined : <LinkButton href={`${here}?list=server`}>{t('toServer')}</LinkButton>;
  return (
    <>
      <Panel>
        {people.length > 0 ? (
          <PeopleTable guild={guild} caption={t(LIST_NAMES[list])} people={people.map(personWire)} />
        ) : isUnknown ? (
          <EmptyState title={t('serverAway')}>{t('serverAwayHint')}</EmptyState>
        ) : after === FROM_THE_START ? (
          <EmptyState title={t('empty')} action={toServer}>
            {t('emptyHint')}
          </EmptyState>
        ) : (
          <EmptyState
            title={t('nobodyMore')}
            action={<LinkButton href={`${here}?list=${list}`}>{t('first')}</LinkButton>}
          >
            {t('nobodyMoreHint')}
          </EmptyState>
        )}
      </Panel>
      {next === null ? null : (
        <div className="mt-3 flex justify-end">
          <LinkButton rel="next" href={`${here}?list=${list}&after=${next}`}>
            {t('next')}
            <ChevronRight aria-hidden size={16} />
          </LinkButton>
        </div>
      )}
    </>
  );
}

interface PeopleOfList {
  readonly people: readonly FoundPerson[];
  readonly next: string | null;
  readonly discord?: DiscordSaid;
}

async function peopleOf(
  guild: GuildView,
  readerId: string,
  list: List,
  after: string,
): Promise<PeopleOfList> {
  const { db } = runtime();
  if (list === 'latest') return { people: (await searchPeople(db, guild, '')).people, next: null };
  if (list === 'record') return peopleOnRecord(db, guild, after);
  return peopleInGuild(db, guild, after, askingForPage(guild, readerId));
}

async function Found({ guild, search }: { guild: GuildView; search: string }) {
  const t = await messagesFor('members');
  const found = (await searchPeople(runtime().db, guild, search)).people.map(personWire);
  // An id that nobody here has a record of is a person too; the list below says whether they are in the server.
  const people = found.filter((person) => person.display_name !== null || person.latest_case !== null);
  const record = `/guilds/${guild.id}/members/${search}`;
  return (
    <>
      <Section title={t('found')}>
        <Panel>
          {people.length > 0 ? (
            <PeopleTable guild={guild} caption={t('title')} people={people} />
          ) : (
            <EmptyState
              title={t('none')}
              action={
                isUserId(search) ? (
                  <LinkButton href={record}>{t('openRecord', { id: search })}</LinkButton>
                ) : undefined
              }
            >
              {t('noneHint')}
            </EmptyState>
          )}
        </Panel>
      </Section>
      <Messages namespaces={['people', 'members']}>
        <InServer guildId={guild.id} text={search} shown={people.map((person) => person.user_id)} />
      </Messages>
    </>
  );
}

async function PeopleTable({
  guild: { id: guildId, capabilities },
  caption,
  people,
}: {
  guild: GuildView;
  caption: string;
  people: readonly PersonWire[];
}) {
  const t = await messagesFor('members');
  const say = await messagesFor('operations');
  const maySelect = capabilities.includes('bans.write') || capabilities.includes('mutes.write');
  const table = (
    <Table caption={caption} cards>
      <TableHead columns={[t('name'), t('id'), t('latestCase')]} />
      <tbody>
        {people.map(({ latest_case: latestCase, ...person }) => (
          <Row key={person.user_id}>
            <Cell>
              <div className="flex gap-3">
                {maySelect ? <SelectOne id={person.user_id} name={nameOf(person)} /> : null}
                <RowLink
                  href={`/guilds/${guildId}/members/${person.user_id}`}
                  className="min-w-0 flex-1 no-underline!"
                >
                  <PersonRow person={person} />
                </RowLink>
              </div>
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
  if (!maySelect) return <Messages namespaces={['people']}>{table}</Messages>;
  return (
    <Messages namespaces={['people', 'many', 'cases']}>
      <SelectPeople people={people.map((person) => ({ id: person.user_id, name: nameOf(person) }))}>
        <SelectionBar guildId={guildId} capabilities={capabilities} presets={await presetsFor(guildId)} />
        {table}
      </SelectPeople>
    </Messages>
  );
}

/** The preset reasons that a dialog on several people offers. */
async function presetsFor(guildId: string) {
  const presets = await listPresets(runtime().db, guildId);
  return presets.filter(({ kind }) => kind !== 'strike').map(presetWire);
}
