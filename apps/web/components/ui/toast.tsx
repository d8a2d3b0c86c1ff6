'use client';

import { lazy, Suspense, useEffect, useState } from 'react';
import { onSaid, type Said, say } from './toast-queue.ts';

/** Says in passing what happened. Nothing that has to be read or answered belongs here: it goes after some seconds. */
export function toast({ text, tone = 'good' }: { text: string; tone?: Said['tone'] }): void {
  say({ text, tone });
}

const List = lazy(async () => ({ default: (await import('./toast-list.tsx')).ToastList }));

/** Where toasts appear, once in a page. What shows them is fetched with the first one. */
export function Toasts() {
  const [wasAsked, setWasAsked] = useState(false);
  useEffect(() => onSaid(() => setWasAsked(true)), []);
  if (!wasAsked) return null;
  return (
    <Suspense fallback={null}>
      <List />
    </Suspense>
  );
}
