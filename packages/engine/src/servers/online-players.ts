import { type InputOf, identityKey, type OutputOf } from '@bailiff/core';
import type { OnlinePlayer, PlayerIdentity } from '@bailiff/core/online-players';
import { type GamePlatform, PlayersState, type Queryable, type RowOf, sql } from '@bailiff/prisma';
import { absent } from '#src/calls/absent.ts';
import type { Read, Reader } from '#src/calls/readers.ts';
import { type Asking, tellWaiting } from '#src/guilds/ask-member.ts';

/** Longer than the bot asks the server. Who waits behind a slow command is told to try again. */
const ANSWER_MS = 3_000;

const askBot = sql.statement({
  parameters: [sql.text, sql.text],
  columns: { is_coming: sql.bool },
  text: 'SELECT ask_players($1, $2) AS is_coming',
});

const waitsFor = (serverId: string) => `players:${serverId}`;

/**
 * Has the bot ask a game server who is online, and waits until the answer can be read. A server that was asked within
 * the last 5 seconds is not asked again: everybody shares its answer.
 */
export async function askPlayers({ db, waiters }: Asking, guildId: string, serverId: string): Promise<void> {
  const waiter = waiters.expect(waitsFor(serverId));
  try {
    const { is_coming } = await askBot.only(db.pool, [guildId, serverId]);
    if (is_coming) await waiter.within(ANSWER_MS);
  } finally {
    waiter.release();
  }
}

/** Tells those who wait that the answer of a game server can be read. */
export async function tellPlayers(db: Queryable, serverId: string): Promise<void> {
  await tellWaiting(db, { kind: 'players', request_id: waitsFor(serverId) });
}

const ONLINE = {
  id: sql.text,
  name: sql.text,
  state: sql.oneOf({ PlayersState }),
  read_at: sql.timestamptz.orNull,
  players: sql.jsonb<readonly OnlinePlayer[]>(),
  more: sql.int,
  unread: sql.int,
  /** Whose the identities are. */
  known: sql.jsonb<readonly { user_id: string; platform: GamePlatform; key: string }[]>(),
};

/** Who is online on a game server, as it said when it was last asked. */
export function readPlayers(
  guildId: string,
  { server_id: serverId }: InputOf<'servers.players'>,
  { capabilities }: Pick<Reader, 'capabilities'>,
): Read<typeof ONLINE, OutputOf<'servers.players'>> {
  return {
    parameters: [sql.text, sql.text, sql.bool],
    columns: ONLINE,
    text: `SELECT true AS found, s.id, s.name, coalesce(p.state, 'asked') AS state, p.read_at,
        coalesce(p.players, '[]') AS players, coalesce(p.more, 0) AS more, coalesce(p.unread, 0) AS unread,
        coalesce((SELECT jsonb_agg(jsonb_build_object('user_id', i.user_id, 'platform', i.platform, 'key', i.key))
          FROM jsonb_array_elements(p.players) AS player
          CROSS JOIN jsonb_array_elements(player->'identities') AS said
          JOIN identities i ON i.guild_id = s.guild_id AND i.key = lower(said->>'in_game_id')
            AND i.platform::text = said->>'platform'
          WHERE $3), '[]') AS known
      FROM game_servers s LEFT JOIN server_players p ON p.server_id = s.id
      WHERE s.guild_id = $1 AND s.id = $2`,
    // Who may read identities is who may read members.
    values: [guildId, serverId, capabilities.includes('members.read')],
    mayBeEmpty: false,
    isQuick: true,
    before: (engine) => askPlayers(engine, guildId, serverId),
    answer: ([row = absent('server', serverId)]) => ({ online: onlineOf(row) }),
  };
}

function onlineOf(row: RowOf<typeof ONLINE>): OutputOf<'servers.players'>['online'] {
  const isListed = row.state === 'listed';
  const keyOf = (platform: string, key: string) => `${platform}:${key}`;
  const owners = new Map(row.known.map(({ user_id, platform, key }) => [keyOf(platform, key), user_id]));
  const ownerOf = ({ platform, in_game_id }: PlayerIdentity) =>
    owners.get(keyOf(platform, identityKey(in_game_id)));
  return {
    server_id: row.id,
    server_name: row.name,
    state: row.state,
    read_at: row.read_at?.toISOString() ?? null,
    players: (isListed ? row.players : []).map(({ name, identities }) => ({
      name,
      identities: [...identities],
      user_id: identities.map(ownerOf).find((owner) => owner !== undefined) ?? null,
    })),
    more: isListed ? row.more : 0,
    unread: isListed ? row.unread : 0,
  };
}
