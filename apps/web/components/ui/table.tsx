import { clsx } from 'clsx';
import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { Link } from './link.tsx';

/**
 * A table. If it is wider than the screen it scrolls, also with the keyboard. With `cards`, each row is a card on a
 * phone, whose cells show their `label`.
 */
export function Table({
  caption,
  cards = false,
  children,
}: {
  caption: string;
  cards?: boolean;
  children: ReactNode;
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: it has no fields, and is no landmark, for a page has many
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard (WCAG 2.1.1)
    <div role="group" className="relative overflow-x-auto" aria-label={caption} tabIndex={0}>
      <table className={clsx('w-full border-collapse text-left', cards && 'as-cards')}>
        <caption className="sr-only">{caption}</caption>
        {children}
      </table>
    </div>
  );
}

const HEADER = 'text-ink-soft border-line border-b px-3 py-2 text-xs font-medium whitespace-nowrap';

export function HeaderCell({ className, ...props }: ComponentProps<'th'>) {
  return <th scope="col" {...props} className={clsx(HEADER, className)} />;
}

/** A header row. Only screen readers read the header of the last column, of `buttons`. */
export function TableHead({
  columns,
  buttons,
}: {
  columns: readonly string[];
  buttons?: string | undefined;
}) {
  return (
    <thead>
      <tr>
        {columns.map((column) => (
          <HeaderCell key={column}>{column}</HeaderCell>
        ))}
        {buttons === undefined ? null : (
          <HeaderCell>
            <span className="sr-only">{buttons}</span>
          </HeaderCell>
        )}
      </tr>
    </thead>
  );
}

/** A column header with a link that sorts by its column. `href` is the same list in that order. */
export function SortHeader({
  href,
  sorted,
  children,
}: {
  href: string;
  sorted: 'asc' | 'desc' | null;
  children: ReactNode;
}) {
  const Icon = sorted === null ? ChevronsUpDown : sorted === 'asc' ? ArrowUp : ArrowDown;
  return (
    <th
      scope="col"
      className={HEADER}
      aria-sort={sorted === null ? undefined : sorted === 'asc' ? 'ascending' : 'descending'}
    >
      <Link href={href} className="hover:text-ink -my-1 inline-flex items-center gap-1 py-1 no-underline">
        {children}
        <Icon aria-hidden size={12} />
      </Link>
    </th>
  );
}

/** A row that is one large link by its {@link RowLink}. */
export function Row({ className, ...props }: ComponentProps<'tr'>) {
  return (
    <tr
      {...props}
      className={clsx(
        'has-[.row-link]:hover:bg-raised/60 has-[.row-link:focus-visible]:bg-raised/60 relative',
        className,
      )}
    />
  );
}

/** The link that covers a whole {@link Row}; other links and buttons of the row stay above it. */
export function RowLink({ className, ...props }: ComponentProps<typeof Link>) {
  return (
    <Link
      {...props}
      className={clsx(
        'row-link font-medium no-underline after:absolute after:inset-0 hover:underline',
        className,
      )}
    />
  );
}

export function Cell({ label, className, ...props }: ComponentProps<'td'> & { label?: string }) {
  return (
    <td
      {...props}
      data-label={label}
      className={clsx(
        'border-line border-b px-3 py-2 align-top [tbody>tr:last-child>&]:border-b-0',
        'has-[>:is(a,button,time):not(.row-link)]:[&>:is(a,button,time)]:relative [&_:is(button,a:not(.row-link))]:relative [&_:is(button,a:not(.row-link))]:z-[1]',
        className,
      )}
    />
  );
}
