'use client';

import type { Attention } from '@bailiff/engine/desk/attention';
import type { ChangeKind } from '@bailiff/engine/desk/changes';
import { useState } from 'react';
import { useLive, useRefreshSoon } from '#components/live.tsx';

const KINDS: readonly ChangeKind[] = [
  'action',
  'appeal',
  'approval',
  'case',
  'report',
  'server',
  'settings',
  'ticket',
  'token',
  'window',
];

/**
 * What needs attention in a guild: as the server rendered it or as a change event says, whichever was counted later. A
 * rendering can be older than the event that came before it.
 */
export function useAttention(guildId: string, rendered: Attention): Attention {
  const [told, setTold] = useState<Attention | null>(null);
  const refreshSoon = useRefreshSoon(guildId);
  useLive(guildId, KINDS, (change, isLate) => {
    if (isLate) refreshSoon(change);
    else if (change.attention !== undefined) setTold(change.attention);
  });
  return told !== null && told.countedAt >= rendered.countedAt ? told : rendered;
}
