'use client';

import { useEffect, useRef, useState } from 'react';

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
