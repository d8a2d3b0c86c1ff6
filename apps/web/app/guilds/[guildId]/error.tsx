'use client';

import { useParams } from 'next/navigation';
import { useEffect, useEffectEvent } from 'react';
import { LOOKS_EVERY_MS } from '#components/state-watch.tsx';
import { type ErrorPageProps, ErrorState } from '#components/ui/error-state.tsx';
import { useLook } from '#components/use-look.ts';

/**
 * The page that people see if rendering a page of a guild failed. The navigation stays. While somebody looks at it, it
 * tries again by itself.
 */
export default function PageFailure(props: ErrorPageProps) {
  const { guildId } = useParams<{ guildId: string }>();
  const look = useLook(guildId);
  const tryAgain = useEffectEvent(async () => {
    // Code that the server no longer has does not come back.
    if (document.visibilityState === 'hidden' || props.error.name === 'ChunkLoadError') return;
    if ((await look()) !== null) props.retry();
  });
  useEffect(() => {
    const timer = setInterval(() => void tryAgain(), LOOKS_EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return <ErrorState {...props} />;
}
