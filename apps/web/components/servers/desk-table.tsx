import type { DeskServer } from '@bailiff/engine/servers/server-console';
import { RelativeTime } from '#components/ui/relative-time.tsx';
import { Cell, Row, RowLink, Table, TableHead } from '#components/ui/table.tsx';
import { messagesFor } from '#src/messages.ts';
import { ServerState } from './server-state.tsx';

/** The game servers as moderators see them: their states, and links to their consoles. */
export async function DeskTable({ guildId, servers }: { guildId: string; servers: readonly DeskServer[] }) {
  const t = await messagesFor('servers');
  return (
    <Table caption={t('caption')} cards>
      <TableHead columns={[t('name'), t('state'), t('lastChecked')]} />
      <tbody>
        {servers.map((server) => (
          <Row key={server.id}>
            <Cell label={t('name')} className="wrap-anywhere">
              <RowLink href={`/guilds/${guildId}/servers/${server.id}`}>{server.name}</RowLink>
            </Cell>
            <Cell label={t('state')}>
              <ServerState reachable={server.reachable} problem={null} problemText={null} />
            </Cell>
            <Cell label={t('lastChecked')}>
              {server.checkedAt === null ? t('never') : <RelativeTime iso={server.checkedAt.toISOString()} />}
            </Cell>
          </Row>
        ))}
      </tbody>
    </Table>
  );
}
