import { clsx } from 'clsx';
import Link from 'next/link';

/** Tabs that are links: each part of a list has an address of its own. */
export function TabLinks({
  label,
  items,
}: {
  label: string;
  items: readonly { href: string; label: string; count?: number; current: boolean }[];
}) {
  return (
    <nav aria-label={label} className="border-line mb-3 overflow-x-auto border-b">
      <ul className="flex gap-1">
        {items.map((item) => (
          <li key={item.href}>
            <Link
              href={item.href}
              prefetch={false}
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
    'flex min-h-9 items-center gap-1.5 border-b-2 px-3 font-medium whitespace-nowrap no-underline -outline-offset-2',
    current ? 'border-accent text-ink' : 'text-ink-soft hover:text-ink border-transparent',
  );
}
