'use client';

import { useEffect, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { toast } from '#components/ui/toast.tsx';
import type { SaidServer } from './server-state.tsx';

/** How long the bot may take: its own time for a connection, and for what waits before it. */
const LONGEST_MS = 20_000;

/**
 * A function that waits for the bot's next try to reach a server, and shows how it ended, or that the bot has not tried.
 * The page hears of the try by itself.
 */
export function useTestResult({ name, checked_at, reachable, problemText }: SaidServer): () => void {
  const t = useTranslations('servers');
  const [before, setBefore] = useState<{ checkedAt: string | null } | null>(null);
  const isTried = before !== null && before.checkedAt !== checked_at;
  useEffect(() => {
    if (before === null) return;
    if (isTried) {
      setBefore(null);
      if (reachable === true) toast({ text: t('testGood', { name }) });
      else toast({ text: t('testBad', { name, problem: problemText ?? '' }), tone: 'bad' });
      return;
    }
    const timer = setTimeout(() => {
      setBefore(null);
      toast({ text: t('testNoAnswer', { name }), tone: 'bad' });
    }, LONGEST_MS);
    return () => clearTimeout(timer);
  }, [before, isTried, reachable, problemText, name, t]);
  return () => setBefore({ checkedAt: checked_at });
}
