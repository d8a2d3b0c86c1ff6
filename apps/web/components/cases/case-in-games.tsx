import { showUnseen } from '@bailiff/core';
import type { GuildView } from '@bailiff/engine/guilds/guilds';
import type { GameSanctionOfCase } from '@bailiff/engine/servers/game-sanctions-of-case';
import { Person } from '#components/members/person.tsx';
import { Messages } from '#components/messages.tsx';
import { Badge } from '#components/ui/badge.tsx';
import { Panel, Section } from '#components/ui/panel.tsx';
import { RelativeTime } from '#components/ui/relative-time.tsx';
import { Cell, Table, TableHead } from '#components/ui/table.tsx';
import { currentLocale, messagesFor } from '#src/messages.ts';
import type { People } from '#src/people.ts';
import { sayFailure } from '#src/say-failure.ts';
import { CALL_STATES } from './case-labels.ts';
import { SendToGame } from './send-to-game.tsx';

/**
 * What was sent to game servers for a case, with what became of it on each, and a button where it can be sent now.
 * Nothing if there is none of either.
 */
export async function CaseInGames({
  guild,
  sanctions,
  people,
  userId,
  number,
}: {
  guild: GuildView;
  sanctions: readonly GameSanctionOfCase[];
  people: People;
  userId: string;
  number: number;
}) {
  if (sanctions.length === 0) return null;
  const t = await messagesFor('games');
  const may = guild.capabilities.includes('bans.write');
  return (
    <Section title={t('title')} lead={t('lead')}>
      <Panel>
        <Table caption={t('caption', { number: String(number) })} cards>
          <TableHead columns={[t('server'), t('player'), t('what'), t('result')]} buttons={t('send')} />
          <tbody>
            {sanctions.map((sanction) => (
              <tr key={`${sanction.serverId} ${sanction.identityId} ${sanction.does}`}>
                <Cell label={t('server')}>{sanction.serverName ?? t('removed')}</Cell>
                <Cell label={t('player')} className="font-mono text-xs wrap-anywhere">
                  {sanction.inGameId}
                </Cell>
                <Cell label={t('what')}>{t(`does.${sanction.does}`)}</Cell>
                <Cell label={t('result')}>
                  <Outcome sanction={sanction} people={people} />
                </Cell>
                <Cell>
                  {may && sanction.maySend ? (
                    <Messages namespaces={['games']}>
                      <SendToGame
                        guildId={guild.id}
                        server={sanction.serverName ?? ''}
                        player={sanction.inGameId ?? ''}
                        input={{
                          server_id: sanction.serverId,
                          user_id: userId,
                          identity_id: sanction.identityId,
                          case_number: number,
                          does: sanction.does,
                        }}
                      />
                    </Messages>
                  ) : null}
                </Cell>
              </tr>
            ))}
          </tbody>
        </Table>
      </Panel>
    </Section>
  );
}

async function Outcome({ sanction: { sent }, people }: { sanction: GameSanctionOfCase; people: People }) {
  const t = await messagesFor('games');
  const servers = await messagesFor('servers');
  if (sent === null) return <Badge tone="off">{t('notSent')}</Badge>;
  const locale = await currentLocale();
  const { word, tone } = CALL_STATES[sent.state];
  const said = showUnseen(sent.said ?? '');
  return (
    <>
      <Badge tone={tone}>{servers(word)}</Badge>
      <span className="text-ink-soft block text-xs">
        <Person id={sent.userId} people={people} />
        {', '}
        <RelativeTime iso={sent.at.toISOString()} />
      </span>
      {sent.state === 'done' ? (
        <span className="block text-xs wrap-anywhere">
          {said === '' ? t('answeredNothing') : t('answered', { said: `“${said}”` })}
          {sent.lasts ? ` ${t('lasts')}` : ''}
        </span>
      ) : null}
      {sent.state === 'unknown' ? <span className="block text-xs">{t('isUnknown')}</span> : null}
      {sent.state === 'failed' && sent.error !== null ? (
        <span className="text-danger block text-xs wrap-anywhere">{sayFailure(locale, sent.error)}</span>
      ) : null}
    </>
  );
}
