'use client';

import { useRouter } from 'next/navigation';
import { useEffect } from 'react';
import type { Trouble } from '#src/trouble.ts';
import { CallFailure } from './call-api.ts';
import { useApi } from './use-call.ts';

const LOOKS_EVERY_MS = 15_000;

/** Refreshes the page when the guild's state is another than the shown one. No event tells that a bot is silent. */
export function StateWatch({ guildId, shown }: { guildId: string; shown: Trouble }) {
  const api = useApi();
  const router = useRouter();
  useEffect(() => {
    const look = async () => {
      if (document.visibilityState === 'hidden') return;
      const answer = await api<{ trouble: Trouble }>('GET', `/api/guilds/${guildId}/state`);
      if (!(answer instanceof CallFailure) && answer.trouble !== shown) router.refresh();
    };
    const timer = setInterval(() => void look(), LOOKS_EVERY_MS);
    return () => clearInterval(timer);
  }, [api, router, guildId, shown]);
  return null;
}
