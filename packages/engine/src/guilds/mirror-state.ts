import { ApiError, type GuildState } from '@bailiff/core';
import { MirrorProblem, sql } from '@bailiff/prisma';

/** The columns of a guild's state in `live_guilds`. */
export const MIRROR_STATE = {
  mirror_state: sql.text.as<GuildState>(),
  mirror_problem: sql.oneOf({ MirrorProblem }).orNull,
};

/** What a guild that cannot be trusted waits for, in words for the caller. */
const WAITS: Readonly<Record<Exclude<GuildState, 'trusted'>, string>> = {
  disconnected: 'The bot is not connected to Discord',
  comparing: 'The bot is comparing this guild with Discord',
  waiting: 'The bot waits for Discord, which does not answer about this guild',
  refused: 'Discord does not show this guild to the bot',
};

/**
 * The error for calls about a guild whose mirror cannot be trusted now.
 *
 * @param unknown what nobody can say, such as `what you may do`
 */
export function mirrorAway(state: GuildState, unknown: string): ApiError {
  // Between the check and this answer, it may have become trusted.
  const guildState = state === 'trusted' ? 'comparing' : state;
  const message = `${WAITS[guildState]}, so nobody can say ${unknown} now. Try again in a minute.`;
  return new ApiError('UPSTREAM_UNAVAILABLE', message, {
    details: {
      upstream: 'bot',
      outcome: 'not_performed',
      retry_after_seconds: guildState === 'comparing' ? 5 : 30,
      guild_state: guildState,
    },
  });
}
