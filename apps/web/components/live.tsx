'use client';

import type { ChangeKind } from '@bailiff/engine/desk/changes';
import { useEffect, useEffectEvent } from 'react';
import type { ChangeEvent } from '#src/change-feed.ts';
import { type ChangeListener, onGuildChange } from './guild-stream.ts';
import { useLook } from './use-look.ts';
import { useRefresh } from './use-refresh.ts';

/** Spreads refreshes over time, so that a page with many viewers is not rendered for all at once. */
const SPREAD_MS = 250;
/** The same after the server was away, when all pages refresh. */
const MISSED_SPREAD_MS = 2_000;
const MIN_INTERVAL_MS = 3_000;

/**
 * Calls `onChange` for changes of these kinds while the component is mounted, and for `missed` changes. Their kind is
 * unknown, so the page must be refreshed. It is also called for late ones, of the last seconds before the component: what
 * was rendered may or may not have them.
 */
export function useLive(guildId: string, kinds: readonly ChangeKind[], onChange: ChangeListener): void {
  const handleChange: ChangeListener = useEffectEvent((change, isLate) => {
    if (change.missed === true || change.kinds.some((kind) => kinds.includes(kind))) onChange(change, isLate);
  });
  useEffect(() => onGuildChange(guildId, (change, isLate) => handleChange(change, isLate)), [guildId]);
}

/** The times of the page's last and next refresh, shared by all components. */
let refreshedAt = Number.NEGATIVE_INFINITY;
let dueAt = Number.POSITIVE_INFINITY;
let waiting: ReturnType<typeof setTimeout> | undefined;

/**
 * A function that refreshes the page soon, but at most every few seconds, however many components call it. Nobody has
 * asked for it, so it first makes sure that the page can be loaded: else what somebody is typing would be lost.
 */
export function useRefreshSoon(
  guildId: string,
  minIntervalMs = MIN_INTERVAL_MS,
): (change: ChangeEvent) => void {
  const look = useLook(guildId);
  const refresh = useRefresh();
  return ({ missed }) => {
    const now = performance.now();
    const spreadMs = missed === true ? MISSED_SPREAD_MS : SPREAD_MS;
    const at = Math.max(now, refreshedAt + minIntervalMs) + Math.random() * spreadMs;
    if (at >= dueAt) return;
    clearTimeout(waiting);
    dueAt = at;
    waiting = setTimeout(async () => {
      dueAt = Number.POSITIVE_INFINITY;
      refreshedAt = performance.now();
      if ((await look()) !== null) refresh();
    }, at - now);
  };
}

/**
 * Refreshes the page when something of these kinds changes. A refresh renders the whole page with its queries, so a page
 * should name only the kinds it shows.
 */
export function Live({
  guildId,
  kinds,
  minIntervalMs,
}: {
  guildId: string;
  kinds: readonly ChangeKind[];
  /** Use a shorter interval for a page that few people open and that must be up to date. */
  minIntervalMs?: number;
}) {
  useLive(guildId, kinds, useRefreshSoon(guildId, minIntervalMs));
  return null;
}
