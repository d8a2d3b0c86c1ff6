'use client';

import type { ServerWire } from '@bailiff/engine/servers/server-view';
import { useTranslations } from 'use-intl/react';
import { Badge } from '#components/ui/badge.tsx';

/** A game server whose problem is also said in the reader's language. */
export type SaidServer = ServerWire & { readonly problemText: string | null };

interface Props {
  readonly reachable: boolean | null;
  /** Why the last attempt did not reach it, as noted; null for those who may not know. */
  readonly problem: string | null;
  readonly problemText: string | null;
}

/** Whether the last attempt reached a server, and why not. */
export function ServerState({ reachable, problem, problemText }: Props) {
  const t = useTranslations('servers');
  if (reachable === null) return <Badge tone="waiting">{t('unchecked')}</Badge>;
  if (reachable) return <Badge tone="good">{t('reachable')}</Badge>;
  return (
    <>
      <Badge tone="bad">{t(wordOf(problem))}</Badge>
      {problemText === null ? null : (
        <span className="text-ink-soft mt-1 block max-w-72 text-xs">{problemText}</span>
      )}
    </>
  );
}

/** A server that refuses the password is reached. */
function wordOf(problem: string | null) {
  if (problem === 'login_refused') return 'passwordWrong';
  return problem === 'login_lost' ? 'passwordMissing' : 'unreachable';
}
