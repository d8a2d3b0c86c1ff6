import { listApprovals } from '@bailiff/engine/tokens/approvals';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { GuildNav } from '#components/guild-nav.tsx';
import { GuildNavText } from '#components/guild-nav-text.tsx';
import { Live } from '#components/live.tsx';
import { StateBanner } from '#components/state-banner.tsx';
import { TopBar } from '#components/top-bar.tsx';
import { Callout } from '#components/ui/panel.tsx';
import { guildPagesFor } from '#src/guild-pages.ts';
import { messagesFor } from '#src/messages.ts';
import { forgottenProxy, isDeveloperMode, requireGuild } from '#src/pages.ts';
import { runtime } from '#src/runtime.ts';

interface Props {
  params: Promise<{ guildId: string }>;
  children: ReactNode;
}

export default async function GuildLayout({ params, children }: Props) {
  const { session, guild } = await requireGuild(params);
  const t = await messagesFor('shell');
  const pending = guild.isOwner
    ? (await listApprovals(runtime().db, session.userId, guild.id)).filter(({ state }) => state === 'pending')
        .length
    : 0;
  const proxy = guild.isOwner ? await forgottenProxy() : null;
  const links = guildPagesFor(guild, { developerMode: await isDeveloperMode(), pending }).map(
    ({ name, href }) => ({
      href: href(guild.id),
      text: <GuildNavText page={name} waiting={name === 'approvals' ? pending : 0} />,
    }),
  );
  return (
    <>
      <TopBar session={session}>
        <Link
          href="/"
          prefetch={false}
          title={t('chooseGuild')}
          className="text-ink-soft hover:text-ink hover:bg-raised inline-flex h-8 max-w-full items-center rounded-md px-2 no-underline"
        >
          <span aria-hidden className="mr-2">
            /
          </span>
          <span className="truncate">{guild.name}</span>
          <span className="sr-only"> ({t('chooseGuild')})</span>
        </Link>
      </TopBar>
      <div className="mx-auto max-w-[100rem] md:flex">
        <GuildNav label={t('guild')} links={links} />
        <main id="content" className="min-w-0 flex-1 px-3 py-5 sm:px-5">
          {proxy === null ? null : (
            <div className="mb-4">
              <Callout tone="warn" title={t('proxyTitle')}>
                {t('proxyLead', { proxy })}
              </Callout>
            </div>
          )}
          <StateBanner guild={guild} />
          {children}
        </main>
      </div>
      <Live guildId={guild.id} kinds={guild.isOwner ? ['approval', 'window', 'settings'] : ['settings']} />
    </>
  );
}
