import { deskServers, seesServers } from '@bailiff/engine/servers/server-console';
import { serverWire } from '@bailiff/engine/servers/server-view';
import { listServers, MOST_SERVERS_PER_GUILD } from '@bailiff/engine/servers/servers';
import { sayServerProblem } from '@bailiff/messages';
import { GuideLink } from '#components/documents/guide-link.tsx';
import { kept } from '#components/kept.tsx';
import { Live } from '#components/live.tsx';
import { Messages } from '#components/messages.tsx';
import { NoAccess } from '#components/no-access.tsx';
import { DeskTable } from '#components/servers/desk-table.tsx';
import { AddServer } from '#components/servers/server-dialogs.tsx';
import { ServerTable } from '#components/servers/server-table.tsx';
import { EmptyState, PageHeader, Panel } from '#components/ui/panel.tsx';
import { messagesFor } from '#src/messages.ts';
import { pageTitle } from '#src/page-title.ts';
import { requireGuild } from '#src/pages.ts';
import { runtime } from '#src/runtime.ts';

export const generateMetadata = () => pageTitle((t) => t('servers'));

export default kept(ServersPage);

async function ServersPage({ params }: { params: Promise<{ guildId: string }> }) {
  const { session, guild } = await requireGuild(params);
  const t = await messagesFor('servers');
  if (!seesServers(guild)) return <NoAccess title={t('title')} needs="servers.read" />;
  return (
    <Messages namespaces={['servers']}>
      {guild.isOwner ? (
        <OwnersServers guildId={guild.id} userId={session.userId} />
      ) : (
        <>
          <PageHeader title={t('title')}>{t('lead')}</PageHeader>
          <ModeratorsServers viewer={guild} />
        </>
      )}
      <Live guildId={guild.id} kinds={['server']} />
    </Messages>
  );
}

async function OwnersServers({ guildId, userId }: { guildId: string; userId: string }) {
  const t = await messagesFor('servers');
  const errors = await messagesFor('errors');
  const servers = (await listServers(runtime().db, userId, guildId)).map((server) => ({
    ...serverWire(server),
    problemText: sayServerProblem(errors, server.problem),
  }));
  const isFull = servers.length >= MOST_SERVERS_PER_GUILD;
  const obstacle = isFull ? t('full', { count: String(MOST_SERVERS_PER_GUILD) }) : null;
  return (
    <>
      <PageHeader
        title={t('title')}
        actions={<AddServer guildId={guildId} disabledBecause={obstacle} />}
        obstacles={[obstacle]}
      >
        {t('lead')} <GuideLink topic="servers" />
      </PageHeader>
      <Panel>
        {servers.length === 0 ? (
          <EmptyState title={t('empty')}>{t('emptyHint')}</EmptyState>
        ) : (
          <ServerTable servers={servers} />
        )}
      </Panel>
    </>
  );
}

async function ModeratorsServers({ viewer }: { viewer: Parameters<typeof deskServers>[1] }) {
  const t = await messagesFor('servers');
  const servers = await deskServers(runtime().db, viewer);
  return (
    <Panel>
      {servers.length === 0 ? (
        <EmptyState title={t('empty')}>{t('emptyForModerator')}</EmptyState>
      ) : (
        <DeskTable guildId={viewer.id} servers={servers} />
      )}
    </Panel>
  );
}
