import type { GameIdentity } from '@bailiff/engine/guilds/people';
import { Link } from '#components/ui/link.tsx';
import { Cell, Table, TableHead } from '#components/ui/table.tsx';
import { messagesFor } from '#src/messages.ts';

/** The game accounts of a person. */
export async function IdentityTable({
  caption,
  guildId,
  identities,
}: {
  caption: string;
  guildId: string;
  identities: readonly GameIdentity[];
}) {
  const t = await messagesFor('members');
  return (
    <Table caption={caption}>
      <TableHead columns={[t('playerName'), t('seenIn')]} />
      <tbody>
        {identities.map(({ playerName, inGameId, caseNumber }) => (
          <tr key={`${playerName}/${inGameId}`}>
            <Cell className="wrap-anywhere">
              {playerName}
              <span className="text-ink-soft block font-mono text-xs">{inGameId}</span>
            </Cell>
            <Cell>
              <Link href={`/guilds/${guildId}/cases/${caseNumber}`} className="text-accent">
                #{caseNumber}
              </Link>
            </Cell>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
