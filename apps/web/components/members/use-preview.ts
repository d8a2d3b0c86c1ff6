'use client';

import type { OwnPreview } from '@bailiff/engine/cases/own-preview';
import { useEffect, useState } from 'react';
import { CallFailure } from '#components/call-api.ts';
import { useApi } from '#components/use-call.ts';

/** In a large server Discord is asked for minutes. */
const LOOK_EVERY_MS = 1_500;

interface Asked {
  readonly preview?: { readonly id: string };
  readonly action?: { readonly id: string };
}

/** What a preview of an action on people says, once it does, or why it does not. */
export function usePreview(
  guildId: string,
  operation: 'bans.preview' | 'mutes.preview',
  input: object,
): OwnPreview | CallFailure | null {
  const api = useApi();
  const [shown, setShown] = useState<OwnPreview | CallFailure | null>(null);
  // The people of an open dialog stay those with which it was opened.
  const [asked] = useState({ operation, input });
  useEffect(() => {
    const closed = new AbortController();
    const { signal } = closed;
    let next: ReturnType<typeof setTimeout> | undefined;
    const look = async (id: string) => {
      const found = await api<OwnPreview>('GET', `/api/guilds/${guildId}/previews/${id}`, undefined, signal);
      if (signal.aborted) return;
      const isUnderWay = 'state' in found && (found.state === 'pending' || found.state === 'running');
      if (isUnderWay) next = setTimeout(() => void look(id), LOOK_EVERY_MS);
      else if (found instanceof CallFailure || found.error === null) setShown(found);
      else setShown(new CallFailure(found.error, { status: 422 }));
    };
    const ask = async () => {
      const answer = await api<Asked>('POST', `/api/guilds/${guildId}/actions`, asked, signal);
      if (signal.aborted) return;
      if (answer instanceof CallFailure) setShown(answer);
      else await look(answer.preview?.id ?? answer.action?.id ?? '');
    };
    void ask();
    return () => {
      closed.abort();
      clearTimeout(next);
    };
  }, [api, guildId, asked]);
  return shown;
}
