'use client';

import { clsx } from 'clsx';
import { type ReactNode, Suspense } from 'react';
import { lazyPart } from './lazy-part.tsx';
import { TAB_BAR, TABS, tabClass } from './tab-classes.ts';

export interface TabsProps {
  readonly label: string;
  readonly items: readonly { value: string; label: string; content: ReactNode }[];
}

const Base = lazyPart(async () => (await import('./tabs-base.tsx')).TabsBase);

/** Tabs with several views of one thing. Their code is loaded when they are first shown. */
export function Tabs(props: TabsProps) {
  return (
    <Suspense fallback={<Room {...props} />}>
      <Base {...props} />
    </Suspense>
  );
}

/** Takes the room of tabs whose code is on its way, so that nothing moves under the pointer when they come. */
function Room({ items }: TabsProps) {
  return (
    <div className="invisible">
      <div className={clsx(TAB_BAR, TABS)}>
        {items.map(({ value, label }) => (
          <span key={value} className={tabClass(false)}>
            {label}
          </span>
        ))}
      </div>
      {items[0]?.content}
    </div>
  );
}
