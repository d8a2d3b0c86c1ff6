'use client';

import { clsx } from 'clsx';
import {
  BookOpen,
  KeyRound,
  LayoutDashboard,
  ScrollText,
  Server,
  Settings,
  ShieldQuestion,
} from 'lucide-react';
import Link from 'next/link';
import { usePathname } from 'next/navigation';

const PLACES = [
  { path: '', label: 'Overview', Icon: LayoutDashboard },
  { path: '/approvals', label: 'Approvals', Icon: ShieldQuestion },
  { path: '/servers', label: 'Game servers', Icon: Server },
  { path: '/audit', label: 'Audit log', Icon: ScrollText },
  { path: '/settings', label: 'Settings', Icon: Settings },
  { path: '/tokens', label: 'API & MCP', Icon: KeyRound, developer: true },
];

export function GuildNav({
  guildId,
  developerMode,
  pending,
}: {
  guildId: string;
  developerMode: boolean;
  pending: number;
}) {
  const here = usePathname();
  const base = `/guilds/${guildId}`;
  return (
    <nav
      aria-label="Guild"
      className="border-line flex gap-1 overflow-x-auto border-b p-2 md:w-48 md:shrink-0 md:flex-col md:overflow-visible md:border-b-0 md:py-5"
    >
      {PLACES.filter(({ developer }) => developer !== true || developerMode).map(({ path, label, Icon }) => {
        const current = here === base + path;
        return (
          <Link
            key={path}
            href={base + path}
            aria-current={current ? 'page' : undefined}
            className={clsx(
              'flex min-h-9 items-center gap-2 rounded-md px-2.5 font-medium whitespace-nowrap no-underline',
              current ? 'bg-accent-tint text-accent' : 'text-ink-soft hover:bg-raised hover:text-ink',
            )}
          >
            <Icon aria-hidden size={16} />
            {label}
            {path === '/approvals' && pending > 0 ? (
              <span className="bg-accent-solid ml-auto rounded-full px-1.5 text-xs text-white">
                {pending}
                <span className="sr-only"> waiting</span>
              </span>
            ) : null}
          </Link>
        );
      })}
      {developerMode ? (
        <Link
          href={`/docs/api?guild=${guildId}`}
          className="text-ink-soft hover:bg-raised hover:text-ink flex min-h-9 items-center gap-2 rounded-md px-2.5 font-medium whitespace-nowrap no-underline"
        >
          <BookOpen aria-hidden size={16} />
          API reference
        </Link>
      ) : null}
    </nav>
  );
}
