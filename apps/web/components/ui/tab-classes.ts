import { clsx } from 'clsx';

/** A bar of tabs. All of them are in sight: on a phone they take several lines. */
export const TAB_BAR = 'border-line mb-3 border-b max-sm:pb-2';

export const TABS = 'flex flex-wrap gap-x-1';

export function tabClass(current: boolean): string {
  return clsx(
    'flex min-h-10 items-center gap-1.5 px-2.5 font-medium no-underline -outline-offset-2',
    // A line beneath would belong to none of several lines.
    'max-sm:rounded-lg sm:-mb-px sm:border-b-2',
    current
      ? 'max-sm:bg-accent-tint max-sm:text-accent sm:border-accent sm:text-ink'
      : 'text-ink-soft hover:text-ink border-transparent',
  );
}
