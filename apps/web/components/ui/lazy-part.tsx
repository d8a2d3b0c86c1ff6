'use client';

import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import { PartFailure } from './part-failure.tsx';

/**
 * A component whose code the browser loads when it is first shown. If that fails, for example because an update has
 * replaced the files of a page that stayed open, it says so at the lower edge of the window. The page itself stays.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => ({ default: await load().catch(() => Missing) }));
}

function Missing() {
  return (
    <div className="fixed inset-x-3 bottom-3 z-50 mx-auto max-w-2xl rounded-lg shadow-lg">
      <PartFailure />
    </div>
  );
}
