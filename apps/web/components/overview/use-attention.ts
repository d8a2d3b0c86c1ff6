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

/** What needs attention in a guild: as the server rendered it, then as change events say. */
export function useAttention(guildId: string, rendered: Attention): Attention {
  const [update, setUpdate] = useState<{ since: Attention; attention: Attention } | null>(null);
  const refreshSoon = useRefreshSoon(guildId);
  useLive(guildId, KINDS, (change, isLate) => {
    if (isLate) refreshSoon(change);
    else if (change.attention !== undefined) setUpdate({ since: rendered, attention: change.attention });
  });
  // An update counts only until the server renders the page again.
  return update?.since === rendered ? update.attention : rendered;
}
