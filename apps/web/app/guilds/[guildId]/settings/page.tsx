import { guildSettings } from '@bailiff/engine/guilds/guild-settings';
import type { GuildView } from '@bailiff/engine/guilds/guilds';
import { LOCALE_NAMES } from '@bailiff/messages';
import { DeveloperModeSwitch } from '#components/developer-mode-switch.tsx';
import { GuideLink } from '#components/documents/guide-link.tsx';
import { kept } from '#components/kept.tsx';
import { GuildForm } from '#components/settings/guild-form.tsx';
import { LogTopicsForm } from '#components/settings/log-topics-form.tsx';
import { Panel, Section } from '#components/ui/panel.tsx';
import { channelChoices } from '#src/channel-choices.ts';
import { messagesFor } from '#src/messages.ts';
import { pageTitle } from '#src/page-title.ts';
import { isDeveloperMode, PREFERENCES, requireGuild } from '#src/pages.ts';
import { runtime } from '#src/runtime.ts';
import { PLACES } from '#src/settings-sections.ts';

export const generateMetadata = () => pageTitle((t) => t('settings'));

export default kept(GeneralSettings);

async function GeneralSettings({ params }: { params: Promise<{ guildId: string }> }) {
  const { guild } = await requireGuild(params);
  const t = await messagesFor('settings');
  return (
    <>
      {guild.isOwner ? <OwnersSettings guild={guild} /> : null}
      <div id={PLACES.tier}>
        <Section title={t('tier.title')}>
          <Panel className="px-4 py-3.5">
            <p>
              {guild.tier === 'free'
                ? t.rich('tier.free', { b: strong })
                : t.rich('tier.paid', { b: strong, tier: guild.tier })}
            </p>
            <p className="text-ink-soft mt-1">{t('tier.change')}</p>
          </Panel>
        </Section>
      </div>
      <div id={PLACES.browser}>
        <Section title={t('browser')}>
          <Panel className="px-4 py-3.5">
            <DeveloperModeSwitch
              name={PREFERENCES.developerMode}
              on={await isDeveloperMode()}
              isOwner={guild.isOwner}
            />
          </Panel>
        </Section>
      </div>
    </>
  );
}

const strong = (words: React.ReactNode) => <strong>{words}</strong>;

async function OwnersSettings({ guild }: { guild: GuildView }) {
  const [t, settings, channels] = await Promise.all([
    messagesFor('settings'),
    guildSettings(runtime().db, guild.id),
    channelChoices(guild.id),
  ]);
  return (
    <>
      <Section title={t('guild.title')} lead={<GuideLink topic="logChannel" />}>
        <Panel>
          <GuildForm guildId={guild.id} languages={LOCALE_NAMES} {...channels} {...settings} />
        </Panel>
      </Section>
      <div id={PLACES.logTopics}>
        <Section title={t('topics.title')}>
          <Panel>
            {settings.logChannelId === null ? (
              <p className="text-ink-soft px-4 py-3.5">{t('topics.first')}</p>
            ) : (
              <LogTopicsForm guildId={guild.id} channels={channels.channels} {...settings} />
            )}
          </Panel>
        </Section>
      </div>
    </>
  );
}
