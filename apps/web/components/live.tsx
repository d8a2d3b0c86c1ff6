'use client';

import type { ChangeKind } from '@bailiff/engine/desk/changes';
import { useRouter } from 'next/navigation';
import { useEffect, useEffectEvent } from 'react';
import type { ChangeEvent } from '#src/notices.ts';
import { hearOf } from './guild-stream.ts';

/** A page that many look at is not rendered for all of them in the same moment. */
const SPREAD_MS = 250;
/** All pages look again after the server was away. */
const MISSED_SPREAD_MS = 2_000;
const APART_MS = 3_000;

/**
 * Hears of changes of these kinds while the component is shown, and of `missed` ones, of which nobody knows the kind:
 * then the page must be looked at again.
 */
export function useLive(
  guildId: string,
  kinds: readonly ChangeKind[],
  onChange: (change: ChangeEvent) => void,
): void {
  const hear = useEffectEvent((change: ChangeEvent) => {
    if (change.missed === true || change.kinds.some((kind) => kinds.includes(kind))) onChange(change);
  });
  useEffect(() => hearOf(guildId, (change) => hear(change)), [guildId]);
}

/** When the page was refreshed last and will be next, whichever component asked for it. */
let refreshedAt = Number.NEGATIVE_INFINITY;
let dueAt = Number.POSITIVE_INFINITY;
let waiting: ReturnType<typeof setTimeout> | undefined;

/** How to look at the page again: soon, but at most every few seconds, however many components ask. */
export function useRefreshSoon(apartMs = APART_MS): (change: ChangeEvent) => void {
  const router = useRouter();
  return ({ missed }) => {
    const now = performance.now();
    const spreadMs = missed === true ? MISSED_SPREAD_MS : SPREAD_MS;
    const at = Math.max(now, refreshedAt + apartMs) + Math.random() * spreadMs;
    if (at >= dueAt) return;
    clearTimeout(waiting);
    dueAt = at;
    waiting = setTimeout(() => {
      dueAt = Number.POSITIVE_INFINITY;
      refreshedAt = performance.now();
      router.refresh();
    }, at - now);
  };
}

/**
 * Looks at the page again when something of these kinds changes. Each time is a whole rendering with its queries, so a page
 * names only what it shows.
 */
export function Live({
  guildId,
  kinds,
  apartMs,
}: {
  guildId: string;
  kinds: readonly ChangeKind[];
  /** Less, for a page that few look at and that must not be late. */
  apartMs?: number;
}) {
  useLive(guildId, kinds, useRefreshSoon(apartMs));
  return null;
}
