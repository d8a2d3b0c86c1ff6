'use client';

import { useRouter } from 'next/navigation';
import { useCallback } from 'react';
import { currentLoss } from './loss.ts';

/**
 * A function that brings the page up to date. It does nothing while Bailiff does not answer, the session has ended or
 * Bailiff was updated: then Next would load a whole page in the place of this one, and what somebody is typing would be
 * lost. The page says so instead (state-watch.tsx).
 */
export function useRefresh(): () => void {
  const router = useRouter();
  return useCallback(() => {
    if (currentLoss() === null) router.refresh();
  }, [router]);
}
