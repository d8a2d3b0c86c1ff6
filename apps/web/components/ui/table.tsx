import { clsx } from 'clsx';
import type { ComponentProps, ReactNode } from 'react';

/** A real table. Where it is wider than the screen it scrolls by itself, also from the keyboard. */
export function Table({ caption, children }: { caption: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard (WCAG 2.1.1)
    <section className="relative overflow-x-auto" aria-label={caption} tabIndex={0}>
      <table className="w-full border-collapse text-left">
        <caption className="sr-only">{caption}</caption>
        {children}
      </table>
    </section>
  );
}

export function HeaderCell({ className, ...props }: ComponentProps<'th'>) {
  return (
    <th
      scope="col"
      {...props}
      className={clsx(
        'text-ink-soft border-line border-b px-3 py-2 text-xs font-medium whitespace-nowrap',
        className,
      )}
    />
  );
}

export function Cell({ className, ...props }: ComponentProps<'td'>) {
  return (
    <td
      {...props}
      className={clsx(
        'border-line border-b px-3 py-2 align-top [tbody>tr:last-child>&]:border-b-0',
        className,
      )}
    />
  );
}
