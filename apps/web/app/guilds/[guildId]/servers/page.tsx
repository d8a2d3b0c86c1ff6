import { listServers, MOST_SERVERS_PER_GUILD, serverWire } from '@bailiff/engine';
import type { Metadata } from 'next';
import { OwnerOnly } from '../../../../components/owner-only.tsx';
import { AddServer } from '../../../../components/servers/server-dialogs.tsx';
import { ServerTable } from '../../../../components/servers/server-table.tsx';
import { EmptyState, PageHeader, Panel } from '../../../../components/ui/panel.tsx';
import { requireGuild } from '../../../../src/pages.ts';
import { runtime } from '../../../../src/runtime.ts';

export const metadata: Metadata = { title: 'Game servers' };

export default async function ServersPage({ params }: { params: Promise<{ guildId: string }> }) {
  const { session, guild } = await requireGuild(params);
  if (!guild.isOwner) return <OwnerOnly title="Game servers" />;
  const servers = (await listServers(runtime().db, session.userId, guild.id)).map(serverWire);
  const isFull = servers.length >= MOST_SERVERS_PER_GUILD;
  return (
    <>
      <PageHeader
        title="Game servers"
        actions={
          <AddServer
            guildId={guild.id}
            disabledBecause={isFull ? `A guild has at most ${MOST_SERVERS_PER_GUILD} game servers` : null}
          />
        }
      >
        Commands reach them over RCON: from chat with /rcon, and from tokens after your approval.
      </PageHeader>
      <Panel>
        {servers.length === 0 ? (
          <EmptyState title="No game server yet">
            Add one with its RCON host, port and password. Only the bot can read the password afterwards.
          </EmptyState>
        ) : (
          <ServerTable servers={servers} />
        )}
      </Panel>
    </>
  );
}
