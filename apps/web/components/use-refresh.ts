'use client';

import { useRouter } from 'next/navigation';
import { useCallback } from 'react';
import { isOutdated } from './outdated.ts';

/**
 * A function that brings the page up to date. It does nothing after an update of Bailiff: then Next would load the whole
 * page again, and what somebody is typing would be lost. The page says so instead (state-watch.tsx).
 */
export function useRefresh(): () => void {
  const router = useRouter();
  return useCallback(() => {
    if (!isOutdated()) router.refresh();
  }, [router]);
}
