'use client';

import { useRouter } from 'next/navigation';
import { useEffect } from 'react';
import { pressedLink } from './pressed-link.ts';

/** Shows the page of a pressed Link without loading a whole document. Use it once per page. */
export function FollowLinks() {
  const router = useRouter();
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
  return null;
}
