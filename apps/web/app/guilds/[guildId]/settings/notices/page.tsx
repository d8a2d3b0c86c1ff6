import { PUBLIC_ANSWERS } from '@bailiff/core';
import { guildSettings } from '@bailiff/engine/guilds/guild-settings';
import { sayToTarget } from '@bailiff/messages';
import { translator } from '@bailiff/messages/dashboard';
import { kept } from '#components/kept.tsx';
import { NoticeForm } from '#components/settings/notice-form.tsx';
import { OwnerElsewhere } from '#components/settings/owner-elsewhere.tsx';
import { Panel, Section } from '#components/ui/panel.tsx';
import { messagesFor } from '#src/messages.ts';
import { sectionTitle } from '#src/page-title.ts';
import { requireGuild } from '#src/pages.ts';
import { runtime } from '#src/runtime.ts';

export const generateMetadata = () => sectionTitle('notices');

const DAY_MINUTES = 1_440;

export default kept(NoticeSettingsPage);

async function NoticeSettingsPage({ params }: { params: Promise<{ guildId: string }> }) {
  const { guild } = await requireGuild(params);
  if (!guild.isOwner) return <OwnerElsewhere />;
  const { db, config } = runtime();
  const [t, operations, settings] = await Promise.all([
    messagesFor('settings'),
    messagesFor('operations'),
    guildSettings(db, guild.id),
  ]);
  // The preview is in the language of the messages, not in that of the page.
  const { language } = settings;
  const say = translator(language, 'notices');
  const until = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
  const date = until.format(new Date(Date.now() + DAY_MINUTES * 60_000));
  const reason = translator(language, 'settings')('notices.sampleReason');
  const url = `${config.dashboardUrl}/appeal/…`;
  const ban = { kind: 'ban', severity: null, durationMinutes: DAY_MINUTES, date } as const;
  const { what, ending } = sayToTarget(language, guild.name, ban);
  return (
    <Section title={t('notices.title')} lead={t('notices.lead')}>
      <Panel>
        <NoticeForm
          guildId={guild.id}
          language={language}
          saved={{
            words: settings.noticeWords,
            colour: settings.noticeColour,
            answers: PUBLIC_ANSWERS.filter((each) => settings.publicAnswers.includes(each)),
          }}
          answerable={PUBLIC_ANSWERS.map((operation) => ({
            operation,
            name: operations(`${operation}.name`),
          }))}
          // The preview shows no formatting.
          lines={[
            what.replaceAll('**', ''),
            say('target.reason', { reason }),
            ending,
            say('target.appeal', { url }),
          ]}
          from={say('target.from', { guild: guild.name })}
          sample={{ server: guild.name, reason, until: date, appeal: url }}
          isOff={!settings.notifiesTargets}
        />
      </Panel>
    </Section>
  );
}
