import { listApprovals } from '@bailiff/engine';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { GuildNav } from '../../../components/guild-nav.tsx';
import { Live } from '../../../components/live.tsx';
import { TopBar } from '../../../components/top-bar.tsx';
import { Notice } from '../../../components/ui/panel.tsx';
import { isDeveloperMode, requireGuild } from '../../../src/pages.ts';
import { runtime } from '../../../src/runtime.ts';

interface Props {
  params: Promise<{ guildId: string }>;
  children: ReactNode;
}

export default async function GuildLayout({ params, children }: Props) {
  const { session, guild } = await requireGuild(params);
  const pending = guild.isOwner
    ? (await listApprovals(runtime().db, session.userId, guild.id)).filter(({ state }) => state === 'pending')
        .length
    : 0;
  return (
    <>
      <TopBar session={session}>
        <Link
          href="/"
          title="Choose another guild"
          className="text-ink-soft hover:text-ink hover:bg-raised inline-flex h-8 max-w-full items-center rounded-md px-2 no-underline"
        >
          <span aria-hidden className="mr-2">
            /
          </span>
          <span className="truncate">{guild.name}</span>
          <span className="sr-only"> (choose another guild)</span>
        </Link>
      </TopBar>
      <div className="mx-auto max-w-[100rem] md:flex">
        <GuildNav guildId={guild.id} developerMode={await isDeveloperMode()} pending={pending} />
        <main id="content" className="min-w-0 flex-1 px-3 py-5 sm:px-5">
          {guild.mirrorFresh ? null : (
            <div className="mb-4">
              <Notice tone="warn" title="The bot is not connected to Discord">
                What is shown may be out of date, and nothing that gives power can be done until it is back.
              </Notice>
            </div>
          )}
          {children}
        </main>
      </div>
      <Live guildId={guild.id} />
    </>
  );
}
