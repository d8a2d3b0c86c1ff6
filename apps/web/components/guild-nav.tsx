'use client';

import { clsx } from 'clsx';
import { ChevronDown } from 'lucide-react';
import { usePathname } from 'next/navigation';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Link } from '#components/ui/link.tsx';

interface NavLink {
  readonly href: string;
  /** The path of other pages that belong to it. */
  readonly covers?: string | undefined;
  readonly text: ReactNode;
}

/** The navigation of a guild. On a phone a button with the name of the current page opens it, and Esc closes it. */
export function GuildNav({
  label,
  links,
  beside,
}: {
  label: string;
  links: readonly NavLink[];
  /** What stands above the links, and on a phone beside the button. */
  beside: ReactNode;
}) {
  const here = usePathname();
  const list = useId();
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  // The paths of all pages begin with the overview's. A page that is not listed is behind none of the links.
  const [overview, ...others] = links;
  const current =
    here === overview?.href
      ? overview
      : others.find(({ href, covers }) => [href, covers].some((path) => isWithin(here, path)));

  useEffect(() => {
    if (!open) return;
    const close = ({ key }: KeyboardEvent) => {
      if (key !== 'Escape') return;
      setOpen(false);
      button.current?.focus();
    };
    document.addEventListener('keydown', close);
    return () => document.removeEventListener('keydown', close);
  }, [open]);

  return (
    <nav
      aria-label={label}
      className="border-line border-b p-2 md:w-52 md:shrink-0 md:border-b-0 md:px-2 md:py-5"
    >
      <div className="flex gap-2">
        <button
          ref={button}
          type="button"
          aria-expanded={open}
          aria-controls={list}
          onClick={() => setOpen(!open)}
          className="border-line bg-surface flex min-h-10 w-full min-w-0 items-center gap-2 rounded-md border px-3 font-medium md:hidden"
        >
          {current === undefined ? label : current.text}
          <ChevronDown
            aria-hidden
            size={16}
            className={clsx('text-ink-soft ml-auto transition-transform', open && 'rotate-180')}
          />
        </button>
        {beside}
      </div>
      <ul id={list} className={clsx('grid gap-0.5 max-md:mt-1', !open && 'max-md:hidden')}>
        {links.map((link) => (
          <li key={link.href}>
            <Link
              href={link.href}
              aria-current={link === current ? 'page' : undefined}
              onClick={() => setOpen(false)}
              className={clsx(
                'flex min-h-9 items-center gap-2 rounded-md px-2.5 font-medium no-underline max-md:min-h-11',
                link === current
                  ? 'bg-accent-tint text-accent'
                  : 'text-ink-soft hover:bg-raised hover:text-ink',
              )}
            >
              {link.text}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function isWithin(here: string, path: string | undefined): boolean {
  return path !== undefined && (here === path || here.startsWith(`${path}/`));
}
