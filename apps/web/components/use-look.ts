'use client';

import { useCallback } from 'react';
import type { Trouble } from '#src/trouble.ts';
import { CallFailure } from './call-api.ts';
import { compareBuild, keepLoss, type Loss } from './loss.ts';
import { useApi } from './use-call.ts';

interface GuildState {
  readonly trouble: Trouble;
  readonly build: string;
}

/**
 * A function that asks whether the pages of a guild may still be loaded, and keeps why not (loss.ts). Returns the guild's
 * state, or null if it was not told.
 */
export function useLook(guildId: string): () => Promise<GuildState | null> {
  const api = useApi();
  return useCallback(async () => {
    const answer = await api<GuildState>('GET', `/api/guilds/${guildId}/state`);
    if (answer instanceof CallFailure) {
      keepLoss(lossOf(answer));
      return null;
    }
    compareBuild(answer.build);
    keepLoss(null);
    return answer;
  }, [api, guildId]);
}

/** Also where Bailiff refuses to answer, as when too much was asked: then nothing else of it would answer either. */
function lossOf({ signedOut, notFound }: CallFailure): Loss {
  if (signedOut) return 'signedOut';
  return notFound ? 'noAccess' : 'unreachable';
}
