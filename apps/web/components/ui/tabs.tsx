import { clsx } from 'clsx';
import { Link } from './link.tsx';

/** A bar of tabs. All of them are in sight: on a phone they take several lines. */
export const TAB_BAR = 'border-line mb-3 border-b max-sm:pb-2';

export const TABS = 'flex flex-wrap gap-x-1';

/** Tabs that are links: each part of a list has an address of its own. */
export function TabLinks({
  label,
  items,
}: {
  label: string;
  items: readonly { href: string; label: string; count?: number; current: boolean }[];
}) {
  return (
    <nav aria-label={label} className={TAB_BAR}>
      <ul className={TABS}>
        {items.map((item) => (
          <li key={item.href}>
            <Link
              href={item.href}
              aria-current={item.current ? 'page' : undefined}
              className={tabClass(item.current)}
            >
              {item.label}
              {item.count === undefined ? null : (
                <span className="bg-raised text-ink-soft rounded-full px-1.5 text-xs tabular-nums">
                  {item.count}
                </span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

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
