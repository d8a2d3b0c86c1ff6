'use client';

import { useRouter } from 'next/navigation';
import { useEffect } from 'react';

const SETTLE_MS = 250;

/** Looks at the page again whenever something of the guild changes. */
export function Live({ guildId }: { guildId: string }) {
  const router = useRouter();
  useEffect(() => {
    const events = new EventSource(`/api/guilds/${guildId}/events`);
    let timer: ReturnType<typeof setTimeout> | undefined;
    events.addEventListener('change', () => {
      clearTimeout(timer);
      timer = setTimeout(() => router.refresh(), SETTLE_MS);
    });
    return () => {
      clearTimeout(timer);
      events.close();
    };
  }, [guildId, router]);
  return null;
}
