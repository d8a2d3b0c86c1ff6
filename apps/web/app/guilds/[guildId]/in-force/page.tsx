import { ApiError, type Capability } from '@bailiff/core';
import { readForPage } from '@bailiff/engine/calls/read-call';
import { readableKinds } from '@bailiff/engine/cases/cases';
import type { GuildView } from '@bailiff/engine/guilds/guilds';
import { lengthIn } from '@bailiff/messages';
import { ChevronRight } from 'lucide-react';
import { redirect } from 'next/navigation';
import { InForceTable, Named, namesInForce } from '#components/in-force/in-force-table.tsx';
import { kept } from '#components/kept.tsx';
import { Live } from '#components/live.tsx';
import { Person } from '#components/members/person.tsx';
import { Messages } from '#components/messages.tsx';
import { NoAccess } from '#components/no-access.tsx';
import { LinkButton } from '#components/ui/button.tsx';
import { EmptyState, PageHeader, Panel, Section } from '#components/ui/panel.tsx';
import { standingLock, standingRole, standingSlowmode } from '#src/in-force.ts';
import { currentLocale, messagesFor } from '#src/messages.ts';
import { addressWith, type PageQuery, textIn } from '#src/page-query.ts';
import { pageTitle } from '#src/page-title.ts';
import { type GuildPageProps, requireGuild } from '#src/pages.ts';
import { runtime } from '#src/runtime.ts';

export const generateMetadata = () => pageTitle((t) => t('inForce'));

const ROWS = 50;
const NEEDED: readonly Capability[] = ['channels.write', 'roles.write'];
const NOTHING = { data: [], next_cursor: null };

export default kept(InForcePage);

async function InForcePage({ params, searchParams }: GuildPageProps) {
  const { session, guild } = await requireGuild(params);
  const t = await messagesFor('inForce');
  if (!NEEDED.some((needed) => guild.capabilities.includes(needed)))
    return <NoAccess title={t('title')} needs="channels.write" />;
  const here = `/guilds/${guild.id}/in-force`;
  const query = await searchParams;
  const { locks, slowmodes, roles } = await listsOf(guild, session.userId, query).catch((error: unknown) => {
    // A cursor that no page of ours has.
    if (error instanceof ApiError && error.code === 'VALIDATION_FAILED') redirect(here);
    throw error;
  });
  const locale = await currentLocale();
  const { names, people } = await namesInForce(guild, {
    people: [
      ...locks.data.map(({ locked_by }) => locked_by),
      ...slowmodes.data.map(({ set_by }) => set_by),
      ...roles.data.flatMap(({ user_id, given_by }) => [user_id, given_by]),
    ],
    things: [
      ...locks.data.flatMap(({ channel_id }) => channel_id ?? []),
      ...slowmodes.data.map(({ channel_id }) => channel_id),
      ...roles.data.map(({ role_id }) => role_id),
    ],
  });
  const parts = [
    {
      name: 'locks',
      next: locks.next_cursor,
      columns: [t('where')],
      rows: locks.data.map((lock) => ({
        ...standingLock(t, names, lock),
        cells: [
          lock.channel_id === null ? t('server') : <Named key="at" id={lock.channel_id} names={names} />,
        ],
      })),
    },
    {
      name: 'slowmodes',
      next: slowmodes.next_cursor,
      columns: [t('where'), t('wait')],
      rows: slowmodes.data.map((slowmode) => ({
        ...standingSlowmode(t, names, slowmode),
        cells: [
          <Named key="at" id={slowmode.channel_id} names={names} />,
          lengthIn(locale, slowmode.seconds),
        ],
      })),
    },
    {
      name: 'roles',
      next: roles.next_cursor,
      columns: [t('member'), t('role')],
      rows: roles.data.map((role) => ({
        ...standingRole(t, names, role),
        cells: [
          <Person key="who" id={role.user_id} people={people} />,
          <Named key="role" id={role.role_id} names={names} />,
        ],
      })),
    },
  ] as const;
  const shown = parts.filter(({ rows }) => rows.length > 0);
  const isFirst = PARTS.every((name) => textIn(query, name) === undefined);
  return (
    <>
      <PageHeader
        title={t('title')}
        actions={
          readableKinds(guild.capabilities).length === 0 ? undefined : (
            <LinkButton href={`/guilds/${guild.id}/cases?standing=in_force`}>{t('cases')}</LinkButton>
          )
        }
      >
        {t('lead')}
      </PageHeader>
      {shown.length > 0 ? null : (
        <Panel>
          <EmptyState title={t('empty')}>{t('emptyHint')}</EmptyState>
        </Panel>
      )}
      <Messages>
        {shown.map(({ name, next, columns, rows }) => (
          <Section key={name} title={t(name)}>
            <Panel>
              <InForceTable
                caption={`${t('title')}: ${t(name)}`}
                columns={columns}
                rows={rows}
                people={people}
              />
            </Panel>
            {next === null ? null : (
              <div className="mt-3 flex justify-end">
                <LinkButton rel="next" href={addressWith(here, { [name]: next })}>
                  {t('next')}
                  <ChevronRight aria-hidden size={16} />
                </LinkButton>
              </div>
            )}
          </Section>
        ))}
      </Messages>
      {isFirst ? null : <LinkButton href={here}>{t('first')}</LinkButton>}
      <Live guildId={guild.id} kinds={['measure']} />
    </>
  );
}

/** The lists, each with its cursor in the address under its name. */
const PARTS = ['locks', 'slowmodes', 'roles'] as const;

/** What is in force, of what the reader may end. */
async function listsOf(guild: GuildView, userId: string, query: PageQuery) {
  const { db } = runtime();
  const viewer = { ...guild, userId };
  const of = (name: (typeof PARTS)[number]) => ({ limit: ROWS, cursor: textIn(query, name) });
  const [channels, members] = NEEDED.map((needed) => guild.capabilities.includes(needed));
  const [locks, slowmodes, roles] = await Promise.all([
    channels ? readForPage(db, viewer, 'channels.locks', of('locks')) : NOTHING,
    channels ? readForPage(db, viewer, 'channels.slowmodes', of('slowmodes')) : NOTHING,
    members ? readForPage(db, viewer, 'roles.list', of('roles')) : NOTHING,
  ]);
  return { locks, slowmodes, roles };
}
