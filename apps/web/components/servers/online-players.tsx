'use client';

import type { OutputOf } from '@bailiff/core';
import { type Game, PLATFORMS_OF_GAME, type ServerTemplates } from '@bailiff/core/server-templates';
import { useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { CallFailure } from '#components/call-api.ts';
import { Button } from '#components/ui/button.tsx';
import { Link } from '#components/ui/link.tsx';
import { RelativeTime } from '#components/ui/relative-time.tsx';
import { Cell, Row, Table, TableHead } from '#components/ui/table.tsx';
import { useApi } from '#components/use-call.ts';
import type { ChosenPlayer } from './template-form.tsx';

type Online = OutputOf<'servers.players'>['online'];
type Player = Online['players'][number];

interface Answer {
  readonly online: Online;
  /** Names of the members. */
  readonly names: Readonly<Record<string, string>>;
}

interface Props {
  guildId: string;
  serverId: string;
  game: Game;
  templates: ServerTemplates | null;
  linked: boolean;
  onChoose: (player: Omit<ChosenPlayer, 'picked'>) => void;
}

/** Asks a game server who is online, when somebody presses the button, and lists them. */
export function OnlinePlayers({ guildId, serverId, ...list }: Props) {
  const t = useTranslations('games.online');
  const api = useApi();
  const [answer, setAnswer] = useState<Answer | CallFailure | null>(null);
  const [isAsking, setAsking] = useState(false);
  const ask = async () => {
    setAsking(true);
    setAnswer(await api<Answer>('POST', `/api/guilds/${guildId}/servers/${serverId}/players`, {}));
    setAsking(false);
  };
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 px-3 py-3 max-sm:px-3.5">
        <Button disabled={isAsking} onClick={() => void ask()}>
          {t(isAsking ? 'asking' : answer === null ? 'ask' : 'again')}
        </Button>
        <div aria-live="polite" aria-relevant="additions" className="text-ink-soft min-w-0 flex-1 text-xs">
          {answer === null || isAsking ? null : <Summary answer={answer} />}
        </div>
      </div>
      {answer === null || answer instanceof CallFailure || answer.online.players.length === 0 ? null : (
        <Players guildId={guildId} answer={answer} {...list} />
      )}
    </>
  );
}

function Summary({ answer }: { answer: Answer | CallFailure }) {
  const t = useTranslations('games.online');
  if (answer instanceof CallFailure) return <p className="text-danger">{answer.message}</p>;
  const { state, players, more, unread, read_at } = answer.online;
  if (state !== 'listed') return <p>{t(`state.${state}`)}</p>;
  const count = players.length + more;
  return (
    <p>
      {count === 0 && unread === 0
        ? t('none')
        : t.rich('count', { count, time: () => (read_at === null ? null : <RelativeTime iso={read_at} />) })}
      {more === 0 ? null : ` ${t('more', { count: more })}`}
      {unread === 0 ? null : ` ${t('unread', { count: unread })}`}
    </p>
  );
}

function Players({
  guildId,
  answer: { online, names },
  game,
  templates,
  linked,
  onChoose,
}: Omit<Props, 'serverId'> & { answer: Answer }) {
  const t = useTranslations('games.online');
  const columns = [t('player'), t('identity'), t('member')];
  return (
    <Table caption={t('caption', { server: online.server_name })} cards>
      <TableHead columns={columns} buttons={t('actions')} />
      <tbody>
        {online.players.map((player, place) => (
          // Two players may have the same name and no id.
          // biome-ignore lint/suspicious/noArrayIndexKey: a list of one answer, which never changes its order
          <Row key={place}>
            <Cell label={t('player')} className="wrap-anywhere">
              {player.name}
            </Cell>
            <Cell label={t('identity')}>
              {player.identities.length === 0 ? (
                <span className="text-ink-soft">{t('noIdentity')}</span>
              ) : (
                <span className="font-mono text-xs wrap-anywhere">
                  {player.identities.map(({ in_game_id }) => in_game_id).join(', ')}
                </span>
              )}
            </Cell>
            <Cell label={t('member')}>
              <Member guildId={guildId} player={player} names={names} linked={linked} />
            </Cell>
            <Cell>
              <PlayerActions player={player} game={game} templates={templates} onChoose={onChoose} />
            </Cell>
          </Row>
        ))}
      </tbody>
    </Table>
  );
}

function Member({
  guildId,
  player: { user_id },
  names,
  linked,
}: {
  guildId: string;
  player: Player;
  names: Answer['names'];
  linked: boolean;
}) {
  const t = useTranslations('games.online');
  if (user_id === null) return <span className="text-ink-soft">{t('unknown')}</span>;
  const name =
    names[user_id] === undefined ? (
      <>
        {t('unnamed')} <span className="font-mono text-xs">{user_id}</span>
      </>
    ) : (
      <bdi>{names[user_id]}</bdi>
    );
  if (!linked) return name;
  return (
    <Link
      href={`/guilds/${guildId}/members/${user_id}`}
      className="text-accent underline decoration-accent/40 underline-offset-2 wrap-anywhere"
    >
      {name}
    </Link>
  );
}

/** Buttons that fill in the server's templates. None without an id that its commands take. */
function PlayerActions({
  player,
  game,
  templates,
  onChoose,
}: Pick<Props, 'game' | 'templates' | 'onChoose'> & { player: Player }) {
  const t = useTranslations('games.online');
  const say = useTranslations('servers');
  const identity = player.identities.find(({ platform }) => PLATFORMS_OF_GAME[game].includes(platform));
  if (identity === undefined || templates === null) return null;
  const { platform, in_game_id } = identity;
  return (
    <div className="flex flex-wrap gap-1.5 max-sm:mt-1.5 sm:justify-end">
      {(['kick', 'ban'] as const)
        .filter((action) => templates[action] !== '')
        .map((action) => (
          <Button
            key={action}
            size="small"
            aria-label={t('act', { action: say(`template.${action}`), player: player.name })}
            onClick={() => onChoose({ action, platform, player: in_game_id })}
          >
            {say(`template.${action}`)}
          </Button>
        ))}
    </div>
  );
}
