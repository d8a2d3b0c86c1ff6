'use client';

import { useRouter } from 'next/navigation';
import { useCallback, useEffect } from 'react';
import { currentLoss } from './loss.ts';

/** Who has asked that nothing is brought up to date now, and what is done when nobody does any more. */
const holds = new Set<object>();
let held: (() => void) | null = null;

/**
 * Holds every refresh back. Returns a function that ends this, after which the page is brought up to date if that was
 * asked for: where an answer to Next is lost it loads the whole page in place of this one, with all that it shows.
 */
export function holdRefreshes(): () => void {
  const hold = {};
  holds.add(hold);
  return () => {
    holds.delete(hold);
    if (holds.size > 0) return;
    const refresh = held;
    held = null;
    refresh?.();
  };
}

/** Holds every refresh back while something runs here that a whole new page would end. */
export function useHeldRefreshes(isRunning: boolean): void {
  useEffect(() => (isRunning ? holdRefreshes() : undefined), [isRunning]);
}

/**
 * A function that brings the page up to date. It does nothing while Bailiff does not answer, the session has ended or
 * Bailiff was updated: then Next would load a whole page in the place of this one, and what somebody is typing would be
 * lost. The page says so instead (state-watch.tsx). While refreshes are held, it does so afterwards.
 */
export function useRefresh(): () => void {
  const router = useRouter();
  return useCallback(() => {
    const refresh = () => {
      if (currentLoss() === null) router.refresh();
    };
    if (holds.size > 0) held = refresh;
    else refresh();
  }, [router]);
}
