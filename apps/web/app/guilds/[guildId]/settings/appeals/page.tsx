import { APPEALABLE, MOST_APPEAL_QUESTIONS } from '@bailiff/core';
import { appealSettings } from '@bailiff/engine/appeals/settings';
import { kindName } from '#components/cases/case-labels.ts';
import { kept } from '#components/kept.tsx';
import { AppealSettingsForm } from '#components/settings/appeal-settings-form.tsx';
import { OwnerElsewhere } from '#components/settings/owner-elsewhere.tsx';
import { Panel, Section } from '#components/ui/panel.tsx';
import { channelChoices } from '#src/channel-choices.ts';
import { messagesFor } from '#src/messages.ts';
import { sectionTitle } from '#src/page-title.ts';
import { requireGuild } from '#src/pages.ts';
import { runtime } from '#src/runtime.ts';

export const generateMetadata = () => sectionTitle('appeals');

export default kept(AppealSettingsPage);

async function AppealSettingsPage({ params }: { params: Promise<{ guildId: string }> }) {
  const { guild } = await requireGuild(params);
  if (!guild.isOwner) return <OwnerElsewhere />;
  const [t, say, settings, channels] = await Promise.all([
    messagesFor('settings'),
    messagesFor('operations'),
    appealSettings(runtime().db, guild.id),
    channelChoices(guild.id),
  ]);
  return (
    <Section title={t('appeals.title')} lead={t('appeals.lead')}>
      <Panel>
        <AppealSettingsForm
          guildId={guild.id}
          settings={settings}
          kinds={APPEALABLE.map((kind) => ({ kind, name: say(kindName(kind)) }))}
          mostQuestions={MOST_APPEAL_QUESTIONS}
          {...channels}
        />
      </Panel>
    </Section>
  );
}
