'use client';

import { Suspense, useEffect, useState } from 'react';
import { lazyPart } from './lazy-part.tsx';
import { onToastQueued, queueToast, type ToastMessage } from './toast-queue.ts';

/** Shows a message for a few seconds. Do not use it for text that people must read or answer. */
export function toast({ text, tone = 'good' }: { text: string; tone?: ToastMessage['tone'] }): void {
  queueToast({ text, tone });
}

const List = lazyPart(async () => (await import('./toast-list.tsx')).ToastList);

/**
 * Renders the toasts of the page; use it once per page. The code that shows them is loaded with the first toast. The
 * region is there before, because a screen reader does not read what comes together with its region.
 */
export function Toasts() {
  const [wasAsked, setWasAsked] = useState(false);
  useEffect(() => onToastQueued(() => setWasAsked(true)), []);
  return (
    <div aria-live="polite">
      {wasAsked ? (
        <Suspense fallback={null}>
          <List />
        </Suspense>
      ) : null}
    </div>
  );
}
