'use client';

import { useTranslations } from 'use-intl/react';
import { Badge } from '#components/ui/badge.tsx';

/** Whether the last attempt reached a server, and why not. */
export function ServerState({ reachable, problem }: { reachable: boolean | null; problem: string | null }) {
  const t = useTranslations('servers');
  if (reachable === null) return <Badge tone="waiting">{t('unchecked')}</Badge>;
  if (reachable) return <Badge tone="good">{t('reachable')}</Badge>;
  return (
    <>
      <Badge tone="bad">{t('unreachable')}</Badge>
      {problem === null ? null : <span className="text-ink-soft mt-1 block max-w-72 text-xs">{problem}</span>}
    </>
  );
}
