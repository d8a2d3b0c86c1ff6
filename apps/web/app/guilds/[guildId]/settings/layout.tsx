import type { ReactNode } from 'react';
import { kept } from '#components/kept.tsx';
import { Live } from '#components/live.tsx';
import { Messages } from '#components/messages.tsx';
import { SettingsNav } from '#components/settings/settings-nav.tsx';
import { headingId, PageHeader } from '#components/ui/panel.tsx';
import { messagesFor } from '#src/messages.ts';
import { requireGuild } from '#src/pages.ts';
import { allSettings, formerAnchors, SECTIONS, sectionPath } from '#src/settings-sections.ts';

interface Props {
  params: Promise<{ guildId: string }>;
  children: ReactNode;
}

/** The heading of all settings, and for the owner the way from section to section. */
export default kept(SettingsLayout);

async function SettingsLayout({ params, children }: Props) {
  const { guild } = await requireGuild(params);
  const [t, shell] = await Promise.all([messagesFor('settings'), messagesFor('shell')]);
  const pathOf = (section: (typeof SECTIONS)[number]) => sectionPath(guild.id, section);
  return (
    <Messages namespaces={['settings', 'operations', 'capabilities']}>
      <PageHeader title={shell('settings')}>
        {t(guild.isOwner ? 'lead' : 'ownerElsewhere', { guild: guild.name })}
      </PageHeader>
      {guild.isOwner ? (
        <>
          <SettingsNav
            label={t('sections.label')}
            sections={SECTIONS.map((section) => ({ href: pathOf(section), text: t(`sections.${section}`) }))}
            settings={allSettings(t).map(({ section, id, text }) => ({
              id: `${pathOf(section)}#${id}`,
              text,
              group: t(`sections.${section}`),
            }))}
            former={Object.fromEntries(
              Object.entries(formerAnchors(t, headingId)).map(([anchor, section]) => [
                anchor,
                pathOf(section),
              ]),
            )}
          />
          <Live guildId={guild.id} kinds={['channel']} />
        </>
      ) : null}
      {children}
    </Messages>
  );
}
