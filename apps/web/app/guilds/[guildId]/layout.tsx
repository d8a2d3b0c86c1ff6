import { readableKinds } from '@bailiff/engine/cases/cases';
import type { GuildView } from '@bailiff/engine/guilds/guilds';
import { listApprovals } from '@bailiff/engine/tokens/approvals';
import type { ReactNode } from 'react';
import { GuildNav } from '#components/guild-nav.tsx';
import { GuildNavText } from '#components/guild-nav-text.tsx';
import { kept } from '#components/kept.tsx';
import { KeptFocus } from '#components/kept-focus.tsx';
import { Live } from '#components/live.tsx';
import { Messages } from '#components/messages.tsx';
import { NeedsScripts } from '#components/needs-scripts.tsx';
import { Shortcuts } from '#components/shortcuts/shortcuts.tsx';
import { StateBanner } from '#components/state-banner.tsx';
import { TopBar } from '#components/top-bar.tsx';
import { Link } from '#components/ui/link.tsx';
import { Callout } from '#components/ui/panel.tsx';
import { guildPagesFor } from '#src/guild-pages.ts';
import { messagesFor } from '#src/messages.ts';
import { PERSON_OFFERS } from '#src/offers.ts';
import { forgottenProxy, hasShortcuts, isDeveloperMode, requireGuild } from '#src/pages.ts';
import type { PaletteAct, PaletteSetting } from '#src/palette.ts';
import { runtime } from '#src/runtime.ts';
import { allSettings, sectionPath } from '#src/settings-sections.ts';
import { PAGE_KEYS } from '#src/shortcuts.ts';

interface Props {
  params: Promise<{ guildId: string }>;
  children: ReactNode;
}

export default kept(GuildLayout);

async function GuildLayout({ params, children }: Props) {
  const { session, guild } = await requireGuild(params);
  const t = await messagesFor('shell');
  const pending = guild.isOwner
    ? (await listApprovals(runtime().db, session.userId, guild.id)).filter(({ state }) => state === 'pending')
        .length
    : 0;
  const proxy = guild.isOwner ? await forgottenProxy() : null;
  const pages = guildPagesFor(guild, { developerMode: await isDeveloperMode(), pending });
  const links = pages.map(({ name, href, covers }) => ({
    href: href(guild.id),
    covers: covers?.(guild.id),
    text: <GuildNavText page={name} waiting={name === 'approvals' ? pending : 0} />,
  }));
  return (
    <>
      <TopBar session={session}>
        <Link
          href="/"
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
        <GuildNav
          label={t('guild')}
          links={links}
          beside={
            <Messages namespaces={['shortcuts', 'people']}>
              <Shortcuts
                guildId={guild.id}
                pages={pages.map(({ name, href }) => ({
                  label: t(name),
                  href: href(guild.id),
                  letter: PAGE_KEYS[name],
                }))}
                settings={guild.isOwner ? await settingsOf(guild.id) : []}
                acts={await actsFor(guild)}
                mayFindPeople={guild.capabilities.includes('members.read')}
                mayReadCases={readableKinds(guild.capabilities).length > 0}
                mayReadTokens={pages.some(({ name }) => name === 'tokens')}
                enabled={await hasShortcuts()}
              />
            </Messages>
          }
        />
        <main id="content" className="min-w-0 flex-1 px-3 py-5 sm:px-5">
          {proxy === null ? null : (
            <div className="mb-4">
              <Callout tone="warn" title={t('proxyTitle')}>
                {t('proxyLead', { proxy })}
              </Callout>
            </div>
          )}
          <NeedsScripts />
          <StateBanner guild={guild} />
          {children}
        </main>
      </div>
      <KeptFocus />
      <Live guildId={guild.id} kinds={guild.isOwner ? ['approval', 'window', 'settings'] : ['settings']} />
    </>
  );
}

/** Everything that the owner can set. */
async function settingsOf(guildId: string): Promise<readonly PaletteSetting[]> {
  const t = await messagesFor('settings');
  return allSettings(t).map(({ section, id, text }) => ({
    label: text,
    section: t(`sections.${section}`),
    href: `${sectionPath(guildId, section)}#${id}`,
  }));
}

/** What the reader may do to people, by the words of the buttons on their pages. */
async function actsFor({ capabilities }: GuildView): Promise<readonly PaletteAct[]> {
  const say = await messagesFor('operations');
  return PERSON_OFFERS.filter(({ needs }) => capabilities.includes(needs)).map(({ operation }) => ({
    operation,
    label: say(`${operation}.dashboard.button`),
  }));
}
