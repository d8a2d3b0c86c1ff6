import { type CaseKind, type OutputOf, showUnseen } from '@bailiff/core';
import { readForPage } from '@bailiff/engine/calls/read-call';
import { listCases } from '@bailiff/engine/cases/case-list';
import type { CaseStanding } from '@bailiff/engine/cases/case-search';
import { type CaseRow, readableKinds } from '@bailiff/engine/cases/cases';
import { standingOf } from '@bailiff/engine/cases/escalation';
import { listPresets, presetWire } from '@bailiff/engine/cases/presets';
import type { Page } from '@bailiff/engine/desk/paging';
import type { GuildView } from '@bailiff/engine/guilds/guilds';
import { identitiesOf } from '@bailiff/engine/guilds/people';
import { listTickets } from '@bailiff/engine/tickets/ticket-list';
import type { TicketRow } from '@bailiff/engine/tickets/tickets';
import { notFound } from 'next/navigation';
import { cache, type ReactNode } from 'react';
import { isOverdue } from '#components/cases/case-labels.ts';
import { CaseTable, peopleInCases } from '#components/cases/case-table.tsx';
import { RolesOfMember } from '#components/in-force/roles-of-member.tsx';
import { kept } from '#components/kept.tsx';
import { Live } from '#components/live.tsx';
import type { Sanction } from '#components/members/act-form.tsx';
import { Identities } from '#components/members/identities.tsx';
import { IdentityTable } from '#components/members/identity-table.tsx';
import { MemberActions } from '#components/members/member-actions.tsx';
import { MemberEvents } from '#components/members/member-events.tsx';
import { MemberHeader } from '#components/members/member-header.tsx';
import { Messages } from '#components/messages.tsx';
import { NoAccess } from '#components/no-access.tsx';
import { Notes } from '#components/notes.tsx';
import { nameOf } from '#components/people/name-of.ts';
import { TicketTable } from '#components/tickets/ticket-table.tsx';
import { Badge } from '#components/ui/badge.tsx';
import { Link } from '#components/ui/link.tsx';
import { Fact, Facts, Panel, Section, Stat } from '#components/ui/panel.tsx';
import { RelativeTime } from '#components/ui/relative-time.tsx';
import { LIST_COLUMNS } from '#src/columns.ts';
import { messagesFor } from '#src/messages.ts';
import { isUserId } from '#src/page-query.ts';
import { namedTitle } from '#src/page-title.ts';
import { requireGuild } from '#src/pages.ts';
import { peopleOf, personOf } from '#src/people.ts';
import { runtime } from '#src/runtime.ts';

const MOST_CASES = 20;
const MOST_TICKETS = 10;

interface Props {
  params: Promise<{ guildId: string; userId: string }>;
}

/** Asked once for the page and its title. */
const personOfPage = cache(personOf);

export const generateMetadata = ({ params }: Props) => namedTitle(titleOf(params), (t) => t('members'));

async function titleOf(params: Props['params']): Promise<string | null> {
  const [{ session, guild }, { userId }] = await Promise.all([requireGuild(params), params]);
  if (!guild.capabilities.includes('members.read') || !isUserId(userId)) return null;
  return nameOf(await personOfPage(guild, session.userId, userId));
}

export default kept(MemberPage);

async function MemberPage({ params }: Props) {
  const { session, guild } = await requireGuild(params);
  const t = await messagesFor('members');
  if (!guild.capabilities.includes('members.read'))
    return <NoAccess title={t('title')} needs="members.read" />;
  const { userId } = await params;
  if (!isUserId(userId)) notFound();
  const [record, person] = await Promise.all([
    recordOf(guild, session.userId, userId),
    personOfPage(guild, session.userId, userId),
  ]);
  const { cases, tickets, notes, presets } = record;
  const people = await peopleOf(guild, [
    userId,
    ...peopleInCases(cases?.rows ?? []),
    ...(tickets?.rows ?? []).flatMap((row) => [row.opened_by, row.claimed_by, row.closed_by]),
    ...notes.map(({ written_by }) => written_by),
    ...record.identities.map(({ set_by }) => set_by),
  ]);
  const name = nameOf(person);
  const casesHref = `/guilds/${guild.id}/cases?member=${userId}`;
  return (
    <>
      <MemberHeader
        person={person}
        isOwner={guild.ownerId === userId}
        actions={
          <MemberActions
            guild={guild}
            readerId={session.userId}
            person={person}
            presets={presets.map(presetWire)}
            inForce={record.inForce}
          />
        }
      />
      <InForce guildId={guild.id} sanctions={record.inForce} />
      <Counts guild={guild} userId={userId} record={record} casesHref={casesHref} />
      <div className="grid items-start gap-x-6 lg:grid-cols-[minmax(0,1fr)_minmax(0,22rem)]">
        <div className="min-w-0">
          <RolesOfMember guild={guild} readerId={session.userId} userId={userId} />
          {cases === null ? null : (
            <Section
              title={t('cases')}
              actions={
                <Link href={casesHref} className="text-accent">
                  {t('allCases')}
                </Link>
              }
            >
              <Panel>
                {cases.rows.length === 0 ? (
                  <Nothing>{t('noCases')}</Nothing>
                ) : (
                  <CaseTable
                    caption={`${t('cases')}: ${name}`}
                    rows={cases.rows}
                    people={people}
                    columns={LIST_COLUMNS.cases.filter((column) => column !== 'member')}
                  />
                )}
              </Panel>
            </Section>
          )}
          {tickets === null ? null : (
            <Section title={t('tickets')}>
              <Panel>
                {tickets.rows.length === 0 ? (
                  <Nothing>{t('noTickets')}</Nothing>
                ) : (
                  <TicketTable caption={`${t('tickets')}: ${name}`} rows={tickets.rows} people={people} />
                )}
              </Panel>
            </Section>
          )}
        </div>
        <div className="min-w-0">
          <Panel className="mb-7 p-4">
            <Facts>
              <Fact name={t('id')}>
                <span className="font-mono text-xs">{userId}</span>
              </Fact>
            </Facts>
          </Panel>
          <Section title={t('notes')} lead={t('notesLead')}>
            <Panel>
              <Messages namespaces={['members']}>
                <Notes
                  subject="members"
                  input={{ user_id: userId }}
                  notes={notes}
                  people={people}
                  capabilities={userId === session.userId ? [] : guild.capabilities}
                />
              </Messages>
            </Panel>
          </Section>
          <Section title={t('events')} lead={t('eventsLead')}>
            <Panel className={record.events.length === 0 ? '' : 'p-4'}>
              {record.events.length === 0 ? (
                <Nothing>{t('noEvents')}</Nothing>
              ) : (
                <MemberEvents events={record.events} />
              )}
            </Panel>
          </Section>
          <Section title={t('identity')} lead={t('identityLead')}>
            <Panel>
              <Messages namespaces={['members', 'commands']}>
                <Identities
                  userId={userId}
                  identities={record.identities}
                  people={people}
                  capabilities={guild.capabilities}
                />
              </Messages>
            </Panel>
            {record.named.length === 0 ? null : (
              <Panel className="mt-3">
                <p className="text-ink-soft px-3.5 pt-3">{t('fromStrikes')}</p>
                <IdentityTable
                  caption={`${t('fromStrikes')}: ${name}`}
                  guildId={guild.id}
                  identities={record.named}
                />
              </Panel>
            )}
          </Section>
        </div>
      </div>
      <Live guildId={guild.id} kinds={['case', 'measure', 'ticket', 'note']} />
    </>
  );
}

interface MemberRecord {
  /** Null if nothing is on record about this person. */
  member: OutputOf<'members.get'> | null;
  /** Null if the reader may not read any. */
  cases: Page<CaseRow> | null;
  tickets: Page<TicketRow> | null;
  notes: OutputOf<'notes.list'>['data'];
  events: OutputOf<'members.events'>['data'];
  identities: OutputOf<'identities.list'>['data'];
  /** What their strikes say of who they are in games. */
  named: Awaited<ReturnType<typeof identitiesOf>>;
  presets: Awaited<ReturnType<typeof listPresets>>;
  /** What is in force against them, of the kinds that the reader may read. */
  inForce: readonly Sanction[];
  standing: Awaited<ReturnType<typeof standingOf>>;
}

/** Everything that the reader may see about a person. */
async function recordOf(guild: GuildView, readerId: string, userId: string): Promise<MemberRecord> {
  const { db } = runtime();
  const viewer = { ...guild, userId: readerId };
  const may = guild.capabilities;
  const [member, cases, tickets, notes, events, identities, named, presets, standing, ...lasting] =
    await Promise.all([
      readForPage(db, viewer, 'members.get', { userId }).catch(unlessAbsent),
      readableKinds(may).length === 0 ? null : listCases(db, guild, { userId }, { limit: MOST_CASES }),
      may.includes('tickets.read')
        ? listTickets(db, guild, { openedBy: userId }, { limit: MOST_TICKETS })
        : null,
      readForPage(db, viewer, 'notes.list', { user_id: userId }),
      readForPage(db, viewer, 'members.events', { userId }),
      readForPage(db, viewer, 'identities.list', { user_id: userId, limit: MOST_CASES }),
      identitiesOf(db, guild, userId),
      listPresets(db, guild.id),
      may.includes('strikes.read') ? standingOf(db, guild.id, userId) : null,
      ...SANCTIONS.map((kind) => sanctionOf(guild, userId, kind)),
    ]);
  const inForce = lasting.filter((sanction) => sanction !== null);
  // Notes are shown by code of the browser, which needs no table of what nobody sees.
  const shown = notes.data.map((note) => ({ ...note, text: showUnseen(note.text, '\n\t') }));
  // An identity has no characters that nobody sees.
  return {
    member,
    cases,
    tickets,
    notes: shown,
    events: events.data,
    identities: identities.data,
    named,
    presets,
    standing,
    inForce,
  };
}

const SANCTIONS = ['ban', 'mute'] as const;

/**
 * The ban or mute in force against somebody, or the ban that has run out and could not be lifted, that of a softban
 * too; null if there is none, or the reader may not read it.
 */
async function sanctionOf(
  guild: GuildView,
  userId: string,
  kind: Sanction['kind'],
): Promise<Sanction | null> {
  if (!readableKinds(guild.capabilities).includes(kind)) return null;
  const newest = async (of: CaseKind, standing: CaseStanding) =>
    (await listCases(runtime().db, guild, { userId, kind: of, standing }, { limit: 1 })).rows[0];
  const row =
    (await newest(kind, 'in_force')) ??
    (kind === 'ban' ? ((await newest('ban', 'overdue')) ?? (await newest('softban', 'overdue'))) : undefined);
  if (row === undefined) return null;
  const until = row.expires_at?.toISOString() ?? null;
  return { kind, caseId: row.id, caseNumber: row.case_number, until, isOverdue: isOverdue(row) };
}

/** The present state of a person, if it is not the usual one. */
async function InForce({ guildId, sanctions }: { guildId: string; sanctions: readonly Sanction[] }) {
  if (sanctions.length === 0) return null;
  const t = await messagesFor('members');
  const say = await messagesFor('people');
  return (
    <ul className="mb-4 flex flex-wrap gap-2">
      {sanctions.map(({ kind, caseNumber, until, isOverdue: hasRunOut }) => (
        <li key={kind} className="flex flex-wrap items-center gap-1.5">
          <Badge tone="bad">{say(kind === 'ban' ? 'banned' : 'muted')}</Badge>
          <span className="text-ink-soft">
            {until === null
              ? t('permanently')
              : t.rich(hasRunOut ? 'overdue' : 'until', { time: () => <RelativeTime iso={until} /> })}
          </span>
          <Link href={`/guilds/${guildId}/cases/${caseNumber}`} className="text-accent">
            {t('caseOf', { number: String(caseNumber) })}
          </Link>
        </li>
      ))}
    </ul>
  );
}

function unlessAbsent(error: unknown): null {
  if (error instanceof Error && 'code' in error && error.code === 'NOT_FOUND') return null;
  throw error;
}

/** How much is on record. What the reader may read is linked. */
async function Counts({
  guild,
  userId,
  record: { member, standing },
  casesHref,
}: {
  guild: GuildView;
  userId: string;
  record: MemberRecord;
  casesHref: string;
}) {
  const t = await messagesFor('members');
  const { strikes = 0, bans = 0, mutes = 0, tickets = 0 } = member?.counts ?? {};
  const next = standing?.next ?? null;
  const casesOf = (kind: CaseKind) =>
    readableKinds(guild.capabilities).includes(kind) ? { href: `${casesHref}&kind=${kind}` } : {};
  const ticketsHref = `/guilds/${guild.id}/tickets?status=all&opener=${userId}`;
  return (
    <div className="mb-6 grid grid-cols-2 gap-2 sm:grid-cols-3 xl:grid-cols-5">
      <Stat label={t('strikes')} value={strikes} {...casesOf('strike')} />
      <Stat label={t('mutes')} value={mutes} {...casesOf('mute')} />
      <Stat label={t('bans')} value={bans} {...casesOf('ban')} />
      <Stat
        label={t('tickets')}
        value={tickets}
        {...(guild.capabilities.includes('tickets.read') ? { href: ticketsHref } : {})}
      />
      {standing === null ? null : (
        <Stat
          label={t('standing')}
          value={standing.points}
          tone={standing.points > 0 ? 'warn' : 'plain'}
          hint={
            next === null
              ? t('standingTop')
              : t('standingNext', { points: next.points, sanction: next.sanction })
          }
        />
      )}
    </div>
  );
}

function Nothing({ children }: { children: ReactNode }) {
  return <p className="text-ink-soft px-3.5 py-3">{children}</p>;
}
