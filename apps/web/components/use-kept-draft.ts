'use client';

import { useEffect, useState } from 'react';

/**
 * What somebody has typed and not saved, as `useState` gives it. This tab keeps it, so it is there again when they come
 * back to the page.
 */
export function useKeptDraft<Draft>(key: string, empty: Draft): readonly [Draft, (draft: Draft) => void] {
  const [draft, setDraft] = useState(empty);
  // The server does not know the draft, so the first rendering is without it.
  useEffect(() => {
    const kept = sessionStorage.getItem(key);
    if (kept !== null) setDraft(JSON.parse(kept));
  }, [key]);
  const keep = (next: Draft) => {
    setDraft(next);
    if (next === empty) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(next));
  };
  return [draft, keep];
}
