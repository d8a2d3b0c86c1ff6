'use client';

import { useEffect, useEffectEvent } from 'react';
import { useLive, useRefreshSoon } from '#components/live.tsx';

/** The bot tells of changes for some minutes after a look (apps/bot/src/conversations.ts). */
const LOOKS_AGAIN_MS = 60_000;

/** Refreshes the page when something changes in a ticket's channel, and else once a minute while the page is seen. */
export function LiveConversation({ guildId, channelId }: { guildId: string; channelId: string }) {
  const refreshSoon = useRefreshSoon(guildId);
  useLive(guildId, ['conversation'], (change) => {
    if (change.missed === true || change.channels?.includes(channelId) === true) refreshSoon(change);
  });
  const lookAgain = useEffectEvent(() => {
    if (document.visibilityState === 'visible') refreshSoon({ kinds: [] });
  });
  useEffect(() => {
    const every = setInterval(() => lookAgain(), LOOKS_AGAIN_MS);
    return () => clearInterval(every);
  }, []);
  return null;
}
