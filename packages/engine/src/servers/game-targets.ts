import { type GamePlatform, type GameSanction, PLATFORMS_OF_GAME } from '@bailiff/core';
import { Game, GamePlatform as Platform, type Queryable, type RowOf, sql } from '@bailiff/prisma';

/** A game server that has a command for it, and who the person is there. */
export interface GameTarget {
  readonly serverId: string;
  readonly serverName: string;
  readonly identityId: string;
  readonly platform: GamePlatform;
  readonly inGameId: string;
}

const TARGET = {
  server_id: sql.text,
  server_name: sql.text,
  game: sql.oneOf({ Game }),
  kicks: sql.bool,
  bans: sql.bool,
  unbans: sql.bool,
  identity_id: sql.text,
  platform: sql.oneOf({ GamePlatform: Platform }),
  in_game_id: sql.text,
};

const targetsOf = sql.statement({
  parameters: [sql.text, sql.text],
  columns: TARGET,
  text: `SELECT s.id AS server_id, s.name AS server_name, s.game, s.kick_template <> '' AS kicks,
      s.ban_template <> '' AS bans, s.unban_template <> '' AS unbans,
      i.id AS identity_id, i.platform, i.in_game_id
    FROM identities i JOIN game_servers s ON s.guild_id = i.guild_id
    WHERE i.guild_id = $1 AND i.user_id = $2 ORDER BY lower(s.name), s.id, i.id`,
});

/** Targets by what can be done there. */
export type GameTargets = Readonly<Record<GameSanction, readonly GameTarget[]>>;

/**
 * Where a person can be kicked, banned and unbanned in games: on each server that has a command for it, by each
 * identity that the commands of its game take.
 */
export async function gameTargets(db: Queryable, guildId: string, userId: string): Promise<GameTargets> {
  const rows = (await targetsOf.all(db, [guildId, userId])).filter(({ game, platform }) =>
    PLATFORMS_OF_GAME[game].includes(platform),
  );
  const where = (has: (row: RowOf<typeof TARGET>) => boolean) => rows.filter(has).map(targetOf);
  return {
    kick: where(({ kicks }) => kicks),
    ban: where(({ bans }) => bans),
    unban: where(({ unbans }) => unbans),
  };
}

function targetOf(row: RowOf<typeof TARGET>): GameTarget {
  return {
    serverId: row.server_id,
    serverName: row.server_name,
    identityId: row.identity_id,
    platform: row.platform,
    inGameId: row.in_game_id,
  };
}
