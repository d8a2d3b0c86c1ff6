'use client';

import { useEffect, useRef, useState } from 'react';
import { useRendering } from '#components/rendering.tsx';

/**
 * The settings that are stored: those that the page was rendered with, and what was saved here since then. So what is
 * edited before the page is brought up to date, which after an update of Bailiff it is not, is built on what was saved.
 * The function takes what was saved.
 *
 * @param refreshing whether the page is being brought up to date after a save
 */
export function useSaved<Settings extends object>(
  rendered: Settings,
  refreshing: boolean,
): readonly [Settings, (changes: Partial<Settings>) => void] {
  const rendering = useRendering();
  // The page may be brought up to date while something is being saved.
  const latest = useRef(rendering);
  useEffect(() => {
    latest.current = rendering;
  }, [rendering]);
  const [saved, setSaved] = useState<{ changes: Partial<Settings>; rendering: string } | null>(null);
  const isNewer = saved !== null && (refreshing || saved.rendering === rendering);
  const keep = (changes: Partial<Settings>) => {
    const { current } = latest;
    setSaved((before) => ({
      changes: before?.rendering === current ? { ...before.changes, ...changes } : changes,
      rendering: current,
    }));
  };
  return [isNewer ? { ...rendered, ...saved.changes } : rendered, keep];
}
