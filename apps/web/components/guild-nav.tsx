'use client';

import { clsx } from 'clsx';
import {
  BookOpen,
  ChevronDown,
  Gavel,
  KeyRound,
  LayoutDashboard,
  type LucideIcon,
  ScrollText,
  Server,
  Settings,
  ShieldCheck,
  ShieldQuestion,
  Ticket,
  Users,
} from 'lucide-react';
import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { useEffect, useId, useRef, useState } from 'react';
import type { PlaceName } from '#src/places.ts';

const ICONS: Readonly<Record<PlaceName, LucideIcon>> = {
  overview: LayoutDashboard,
  cases: Gavel,
  members: Users,
  tickets: Ticket,
  servers: Server,
  audit: ScrollText,
  settings: Settings,
  tokens: KeyRound,
  approvals: ShieldQuestion,
  guard: ShieldCheck,
  apiReference: BookOpen,
};

export interface NavPlace {
  readonly name: PlaceName;
  readonly href: string;
  readonly label: string;
  /** How many things wait there, in figures and for a screen reader; null for none. */
  readonly waiting: { readonly count: number; readonly label: string } | null;
}

/** The pages of a guild. On a phone they are behind a button that names the one that is open; Esc closes them. */
export function GuildNav({ label, places }: { label: string; places: readonly NavPlace[] }) {
  const here = usePathname();
  const list = useId();
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  // The overview is above all others: it is current where none of them is.
  const [overview, ...others] = places;
  const current = others.find(({ href }) => here === href || here.startsWith(`${href}/`)) ?? overview;

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
      <button
        ref={button}
        type="button"
        aria-expanded={open}
        aria-controls={list}
        onClick={() => setOpen(!open)}
        className="border-line bg-surface flex min-h-10 w-full items-center gap-2 rounded-md border px-3 font-medium md:hidden"
      >
        <PlaceText place={current} />
        <ChevronDown
          aria-hidden
          size={16}
          className={clsx('text-ink-soft ml-auto transition-transform', open && 'rotate-180')}
        />
      </button>
      <ul id={list} className={clsx('grid gap-0.5 max-md:mt-1', !open && 'max-md:hidden')}>
        {places.map((place) => (
          <li key={place.name}>
            <Link
              href={place.href}
              prefetch={false}
              aria-current={place === current ? 'page' : undefined}
              onClick={() => setOpen(false)}
              className={clsx(
                'flex min-h-9 items-center gap-2 rounded-md px-2.5 font-medium no-underline max-md:min-h-11',
                place === current
                  ? 'bg-accent-tint text-accent'
                  : 'text-ink-soft hover:bg-raised hover:text-ink',
              )}
            >
              <PlaceText place={place} />
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function PlaceText({ place }: { place: NavPlace | undefined }) {
  if (place === undefined) return null;
  const Icon = ICONS[place.name];
  return (
    <>
      <Icon aria-hidden size={16} className="shrink-0" />
      {place.label}
      {place.waiting === null ? null : (
        <span className="bg-accent-solid ml-auto rounded-full px-1.5 text-xs text-white">
          <span aria-hidden>{place.waiting.count}</span>
          <span className="sr-only">{place.waiting.label}</span>
        </span>
      )}
    </>
  );
}
