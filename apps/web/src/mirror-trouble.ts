import type { GuildView } from '@bailiff/engine/guilds/guilds';

/** Why what roles may do in a guild is not known now; null while it is. */
export function mirrorTrouble({
  mirrorState,
  mirrorProblem,
}: Pick<GuildView, 'mirrorState' | 'mirrorProblem'>) {
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

export type MirrorTrouble = ReturnType<typeof mirrorTrouble>;
