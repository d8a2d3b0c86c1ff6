import type { GuildView } from '@bailiff/engine/guilds/guilds';
import type { DatabasePace } from './database-pace.ts';

/** Why what roles may do in a guild is not known now; null while it is. */
function mirrorTrouble({ mirrorState, mirrorProblem }: Pick<GuildView, 'mirrorState' | 'mirrorProblem'>) {
  switch (mirrorState) {
    case 'trusted':
      return null;
    case 'disconnected':
    case 'comparing':
      return mirrorState;
    default:
      return mirrorProblem ?? 'no_answer';
  }
}

/** What a guild's pages say at their top: what is wrong with the guild, or else with the database. Null if nothing is. */
export function troubleOf(guild: GuildView, pace: DatabasePace) {
  return mirrorTrouble(guild) ?? (pace.isSlow() ? 'database_slow' : null);
}

export type Trouble = ReturnType<typeof troubleOf>;
