'use client';

import { type ReactNode, Suspense } from 'react';
import { lazyPart } from './lazy-part.tsx';

export interface TabsProps {
  readonly label: string;
  readonly items: readonly { value: string; label: string; content: ReactNode }[];
}

const Base = lazyPart(async () => (await import('./tabs-base.tsx')).TabsBase);

/** Tabs with several views of one thing. Their code is loaded when they are first shown. */
export function Tabs(props: TabsProps) {
  return (
    <Suspense fallback={null}>
      <Base {...props} />
    </Suspense>
  );
}
