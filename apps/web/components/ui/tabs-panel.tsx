'use client';

import { lazy, type ReactNode, Suspense } from 'react';

export interface TabsProps {
  readonly label: string;
  readonly items: readonly { value: string; label: string; content: ReactNode }[];
}

const Base = lazy(async () => ({ default: (await import('./tabs-base.tsx')).TabsBase }));

/** Tabs with several views of one thing. Their code is loaded when they are first shown. */
export function Tabs(props: TabsProps) {
  return (
    <Suspense fallback={null}>
      <Base {...props} />
    </Suspense>
  );
}
