import type { GuildView } from '@bailiff/engine/guilds/guilds';
import { deskServer, listRuns, seesServers } from '@bailiff/engine/servers/server-console';
import { sayServerProblem } from '@bailiff/messages';
import { notFound } from 'next/navigation';
import { cache } from 'react';
import { kept } from '#components/kept.tsx';
import { Live } from '#components/live.tsx';
import { Messages } from '#components/messages.tsx';
import { NoAccess } from '#components/no-access.tsx';
import { ConsoleHistory } from '#components/servers/console-history.tsx';
import { ServerDesk } from '#components/servers/server-desk.tsx';
import { ServerState } from '#components/servers/server-state.tsx';
import { TemplatesEditor } from '#components/servers/templates-editor.tsx';
import { LinkButton } from '#components/ui/button.tsx';
import { PageLinks } from '#components/ui/page-links.tsx';
import { Callout, EmptyState, Fact, Facts, PageHeader, Panel, Section } from '#components/ui/panel.tsx';
import { RelativeTime } from '#components/ui/relative-time.tsx';
import { messagesFor } from '#src/messages.ts';
import { type PageQuery, pagesBeside, textIn } from '#src/page-query.ts';
import { namedTitle } from '#src/page-title.ts';
import { requireGuild } from '#src/pages.ts';
import { peopleOf } from '#src/people.ts';
import { runtime } from '#src/runtime.ts';

const ROWS = 30;

interface Props {
  params: Promise<{ guildId: string; serverId: string }>;
  searchParams: Promise<PageQuery>;
}

/** Read once for the page and its title. */
const serverOfPage = cache((guild: GuildView, serverId: string) => deskServer(runtime().db, guild, serverId));

export const generateMetadata = ({ params }: Props) => namedTitle(titleOf(params), (t) => t('servers'));

async function titleOf(params: Props['params']): Promise<string | null> {
  const [{ guild }, { serverId }] = await Promise.all([requireGuild(params), params]);
  return seesServers(guild) ? ((await serverOfPage(guild, serverId))?.name ?? null) : null;
}

export default kept(ServerPage);

async function ServerPage({ params, searchParams }: Props) {
  const { guild } = await requireGuild(params);
  const t = await messagesFor('servers');
  if (!seesServers(guild)) return <NoAccess title={t('title')} needs="servers.read" />;
  const { serverId } = await params;
  const { db } = runtime();
  const server = await serverOfPage(guild, serverId);
  if (server === null) notFound();
  const here = `/guilds/${guild.id}/servers/${server.id}`;
  const mayRun = guild.capabilities.includes('servers.rcon');
  const query = await searchParams;
  const cursor = { before: actionIn(query, 'before'), after: actionIn(query, 'after'), limit: ROWS };
  const page = mayRun ? await listRuns(db, guild, server.id, cursor) : null;
  const people = await peopleOf(
    guild,
    page?.rows.flatMap(({ userId, sanction }) => [userId, sanction?.userId ?? null]) ?? [],
  );
  const errors = await messagesFor('errors');
  const { address } = server;
  return (
    <Messages namespaces={['servers', 'commands', 'games']}>
      <PageHeader
        title={server.name}
        actions={<LinkButton href={`/guilds/${guild.id}/servers`}>{t('allServers')}</LinkButton>}
      />
      <div className="grid items-start gap-x-6 lg:grid-cols-[minmax(0,1fr)_minmax(0,20rem)]">
        <Panel className="mb-7 p-4 lg:order-last">
          <Facts>
            <Fact name={t('state')}>
              <ServerState
                reachable={server.reachable}
                problem={server.problem}
                problemText={sayServerProblem(errors, server.problem)}
              />
            </Fact>
            <Fact name={t('lastChecked')}>
              {server.checkedAt === null ? t('never') : <RelativeTime iso={server.checkedAt.toISOString()} />}
            </Fact>
            {address === null ? null : (
              <Fact name={t('address')}>
                <span className="font-mono text-xs">
                  {address.host.includes(':') ? `[${address.host}]` : address.host}:{address.port}
                </span>
              </Fact>
            )}
            <Fact name={t('commands')}>{t(server.hasPolicy ? 'withPolicy' : 'everyCommand')}</Fact>
          </Facts>
        </Panel>
        <div className="min-w-0">
          {page === null ? (
            <Callout tone="info" title={t('needsRcon', { capability: 'servers.rcon' })} />
          ) : (
            <>
              <ServerDesk
                guildId={guild.id}
                serverId={server.id}
                game={server.game}
                templates={server.templates}
                linked={guild.capabilities.includes('members.read')}
              />
              <Section title={t('history')} lead={t('historyLead')}>
                <Panel>
                  {page.rows.length === 0 ? (
                    <EmptyState title={t('history')}>{t('historyEmpty')}</EmptyState>
                  ) : (
                    <ConsoleHistory runs={page.rows} people={people} />
                  )}
                </Panel>
                <PageLinks {...pagesBeside(here, {}, page)} />
              </Section>
              {guild.isOwner && server.templates !== null ? (
                <Section title={t('templates')} lead={t('templatesLead')}>
                  <Panel>
                    <TemplatesEditor
                      guildId={guild.id}
                      serverId={server.id}
                      name={server.name}
                      game={server.game}
                      templates={server.templates}
                    />
                  </Panel>
                </Section>
              ) : null}
            </>
          )}
        </div>
      </div>
      <Live guildId={guild.id} kinds={['action', 'server']} />
    </Messages>
  );
}

function actionIn(query: PageQuery, name: string): string | undefined {
  const text = textIn(query, name);
  return text !== undefined && /^act_[0-9a-f]{32}$/.test(text) ? text : undefined;
}
