'use client';

import { useRouter } from 'next/navigation';
import { useEffect } from 'react';
import { pressedLink } from './pressed-link.ts';
import { useRefresh } from './use-refresh.ts';

/**
 * Shows the page of a pressed Link without loading a whole document, and brings a page up to date to which somebody goes
 * back: Next shows it as it was rendered, without what has come since. Use it once per page.
 */
export function FollowLinks() {
  const router = useRouter();
  const refresh = useRefresh();
  useEffect(() => {
    const follow = (event: MouseEvent) => {
      const link = pressedLink(event);
      // Who asks before the page is left prevents it (settings/leave-guard.tsx).
      if (event.defaultPrevented || link?.dataset.follow === undefined) return;
      event.preventDefault();
      router.push(`${link.pathname}${link.search}${link.hash}`);
    };
    // After the handlers of React, which listens here too, and did so first.
    document.addEventListener('click', follow);
    return () => document.removeEventListener('click', follow);
  }, [router]);
  useEffect(() => {
    const comeBack = ({ state }: PopStateEvent) => {
      // A link to a place in the same page has no state. After Next's own listener, which would drop an earlier refresh.
      if (state !== null) setTimeout(refresh);
    };
    window.addEventListener('popstate', comeBack);
    return () => window.removeEventListener('popstate', comeBack);
  }, [refresh]);
  return null;
}
