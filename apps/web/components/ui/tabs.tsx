import { Link } from './link.tsx';
import { TAB_BAR, TABS, tabClass } from './tab-classes.ts';

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
