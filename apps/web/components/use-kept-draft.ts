'use client';

import { useEffect, useEffectEvent, useRef, useState } from 'react';

/**
 * What somebody has typed and not saved, as `useState` gives it. This tab keeps it, so it is there again when they come
 * back to the page. The third function empties it once it is saved, unless they have typed on since it was sent.
 */
export function useKeptDraft<Draft>(
  key: string,
  empty: Draft,
): readonly [Draft, (draft: Draft) => void, (sent: Draft) => void] {
  const [draft, setDraft] = useState(empty);
  const latest = useRef(empty);
  // The server does not know the draft, so the first rendering is without it.
  useEffect(() => {
    const kept = sessionStorage.getItem(key);
    if (kept === null) return;
    latest.current = JSON.parse(kept);
    setDraft(latest.current);
  }, [key]);
  const keep = (next: Draft) => {
    latest.current = next;
    setDraft(next);
    if (next === empty) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(next));
  };
  const settle = (sent: Draft) => {
    if (latest.current === sent) keep(empty);
  };
  return [draft, keep, settle];
}

/**
 * The changes that somebody has made to settings and not saved, kept as a draft is. What is as it is saved is no change:
 * if it is saved as something else later, it follows that. Returns the changes, the function that makes more, the one
 * that empties them once those that were sent are saved, and the one that discards them.
 *
 * @param busy whether changes are being saved: what is typed meanwhile is compared with what they become
 */
export function useKeptChanges<Settings extends object>(
  key: string,
  saved: Settings,
  busy: boolean,
): readonly [Partial<Settings>, (changes: Partial<Settings>) => void, () => void, () => void] {
  const [kept, keep, settle] = useKeptDraft<Partial<Settings>>(key, NO_CHANGES);
  const changes = differing(kept, saved);
  const isOverfull = !busy && Object.keys(changes).length < Object.keys(kept).length;
  const keepOnlyChanges = useEffectEvent(() => keep(isEmpty(changes) ? NO_CHANGES : changes));
  useEffect(() => {
    if (isOverfull) keepOnlyChanges();
  }, [isOverfull]);
  return [changes, (more) => keep({ ...kept, ...more }), () => settle(kept), () => keep(NO_CHANGES)];
}

const NO_CHANGES = {};

/** Whether there are no changes. */
export function isEmpty(changes: object): boolean {
  return Object.keys(changes).length === 0;
}

function differing<Settings extends object>(kept: Partial<Settings>, saved: Settings): Partial<Settings> {
  const now = new Map<string, unknown>(Object.entries(saved));
  const parts = Object.entries(kept).filter(([name, value]) => !isSame(value, now.get(name)));
  return Object.fromEntries(parts) as Partial<Settings>;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
}
