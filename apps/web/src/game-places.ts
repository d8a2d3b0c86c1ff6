import { type GameTarget, gameTargets } from '@bailiff/engine/servers/game-targets';
import type { GamePlaces } from '#components/servers/also-in-games.tsx';
import { runtime } from './runtime.ts';

/** The game servers where somebody is known, as the dialogs name them. */
export async function gamePlaces(guildId: string, userId: string): Promise<GamePlaces> {
  const { kick, ban, unban } = await gameTargets(runtime().db.pool, guildId, userId);
  return { kick: kick.map(placeOf), ban: ban.map(placeOf), unban: unban.map(placeOf) };
}

function placeOf({ serverName: server, inGameId: player }: GameTarget) {
  return { server, player };
}
