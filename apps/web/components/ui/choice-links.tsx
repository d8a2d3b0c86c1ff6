import { clsx } from 'clsx';
import { Link } from './link.tsx';

/** Links to the same page for another choice, such as a span of time. They stand beneath tabs without looking like them. */
export function ChoiceLinks({
  label,
  items,
}: {
  label: string;
  items: readonly { href: string; label: string; current: boolean }[];
}) {
  return (
    <nav aria-label={label} className="mb-3">
      <ul className="border-line bg-surface inline-flex max-w-full flex-wrap gap-0.5 rounded-lg border p-0.5">
        {items.map((item) => (
          <li key={item.href}>
            <Link
              href={item.href}
              aria-current={item.current ? 'page' : undefined}
              className={clsx(
                'flex min-h-8 items-center rounded-md px-2.5 font-medium no-underline',
                item.current ? 'bg-accent-tint text-accent' : 'text-ink-soft hover:text-ink',
              )}
            >
              {item.label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
