'use client';

import { useState } from 'react';
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
  const [saved, setSaved] = useState<{ changes: Partial<Settings>; rendering: string } | null>(null);
  const isNewer = saved !== null && (refreshing || saved.rendering === rendering);
  const keep = (changes: Partial<Settings>) =>
    setSaved((before) => ({
      changes: before?.rendering === rendering ? { ...before.changes, ...changes } : changes,
      rendering,
    }));
  return [isNewer ? { ...rendered, ...saved.changes } : rendered, keep];
}
