import { listPresets, MOST_PRESETS_PER_GUILD, presetWire } from '@bailiff/engine/cases/presets';
import { guildSettings } from '@bailiff/engine/guilds/guild-settings';
import { GuideLink } from '#components/documents/guide-link.tsx';
import { kept } from '#components/kept.tsx';
import { OwnerElsewhere } from '#components/settings/owner-elsewhere.tsx';
import { PresetTable } from '#components/settings/preset-table.tsx';
import { Section } from '#components/ui/panel.tsx';
import { messagesFor } from '#src/messages.ts';
import { sectionTitle } from '#src/page-title.ts';
import { requireGuild } from '#src/pages.ts';
import { runtime } from '#src/runtime.ts';
import { PLACES } from '#src/settings-sections.ts';
import { startingReasons } from '#src/starting-reasons.ts';

export const generateMetadata = () => sectionTitle('reasons');

export default kept(ReasonSettings);

async function ReasonSettings({ params }: { params: Promise<{ guildId: string }> }) {
  const { guild } = await requireGuild(params);
  if (!guild.isOwner) return <OwnerElsewhere />;
  const { db } = runtime();
  const [t, presets, { language }] = await Promise.all([
    messagesFor('settings'),
    listPresets(db, guild.id),
    guildSettings(db, guild.id),
  ]);
  return (
    <div id={PLACES.reasons}>
      <Section
        title={t('presets.title')}
        lead={
          <>
            {t('presets.lead')} <GuideLink topic="reasons" />
          </>
        }
      >
        <PresetTable
          guildId={guild.id}
          presets={presets.map(presetWire)}
          most={MOST_PRESETS_PER_GUILD}
          starting={startingReasons(language)}
        />
      </Section>
    </div>
  );
}
