'use client';

import { lazy, type ReactNode, Suspense } from 'react';

export interface TabsProps {
  readonly label: string;
  readonly items: readonly { value: string; label: string; content: ReactNode }[];
}

const Base = lazy(async () => ({ default: (await import('./tabs-base.tsx')).TabsBase }));

/** Several views of one thing in one place. What makes them is fetched when they are first shown. */
export function Tabs(props: TabsProps) {
  return (
    <Suspense fallback={null}>
      <Base {...props} />
    </Suspense>
  );
}
