import { guildsOf } from '@bailiff/engine/guilds/guilds';
import { Plus } from 'lucide-react';
import type { Metadata } from 'next';
import { GuideLink } from '#components/documents/guide-link.tsx';
import { TopBar } from '#components/top-bar.tsx';
import { Badge } from '#components/ui/badge.tsx';
import { buttonClass } from '#components/ui/button.tsx';
import { Link } from '#components/ui/link.tsx';
import { EmptyState, PageHeader, Panel } from '#components/ui/panel.tsx';
import { inviteUrl } from '#src/invite.ts';
import { messagesFor } from '#src/messages.ts';
import { requireSession } from '#src/pages.ts';
import { runtime } from '#src/runtime.ts';

/** Whole, because the layout completes the titles of the pages below it and not this one. */
export async function generateMetadata(): Promise<Metadata> {
  const t = await messagesFor('shell');
  return { title: { absolute: `${t('yourGuilds')} · Bailiff` } };
}

export default async function GuildsPage() {
  const session = await requireSession();
  const { db, config } = runtime();
  const [guilds, t] = await Promise.all([guildsOf(db, session.userId), messagesFor('shell')]);
  const invite = (
    <a href={inviteUrl(config)} className={buttonClass(guilds.length === 0 ? 'primary' : 'plain')}>
      <Plus aria-hidden size={16} />
      {t('addBailiff')}
    </a>
  );
  return (
    <>
      <TopBar session={session} />
      <main id="content" className="mx-auto w-full max-w-3xl px-4 py-8">
        <PageHeader title={t('yourGuilds')} actions={guilds.length === 0 ? undefined : invite}>
          {t('guildsLead')} <GuideLink topic="invite" />
        </PageHeader>
        {guilds.length === 0 ? (
          <Panel>
            <EmptyState title={t('noGuild')} action={invite}>
              {t('noGuildLead')}
            </EmptyState>
          </Panel>
        ) : (
          <ul className="grid gap-3 sm:grid-cols-2">
            {guilds.map((guild) => (
              <li key={guild.id} className="min-w-0">
                <Link
                  href={`/guilds/${guild.id}`}
                  className="border-line bg-surface hover:border-line-strong flex h-full items-center gap-3 rounded-lg border p-3.5 no-underline"
                >
                  <span
                    aria-hidden
                    className="bg-accent-tint text-accent grid size-11 shrink-0 place-items-center rounded-lg font-semibold"
                  >
                    {initials(guild.name)}
                  </span>
                  <span className="min-w-0 flex-1">
                    <span className="block truncate font-medium">{guild.name}</span>
                    <span className="text-ink-soft block text-xs">
                      {guild.isOwner ? t('youOwn') : t('youModerate')} · {guild.tier}
                    </span>
                  </span>
                  {guild.mirrorFresh ? null : <Badge tone="warn">{t('botAway')}</Badge>}
                </Link>
              </li>
            ))}
          </ul>
        )}
      </main>
    </>
  );
}

function initials(name: string): string {
  return name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => [...word][0] ?? '')
    .join('')
    .toUpperCase();
}
