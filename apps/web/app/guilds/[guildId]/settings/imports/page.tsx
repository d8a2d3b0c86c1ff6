import { listImports } from '@bailiff/engine/imports/imports';
import { kept } from '#components/kept.tsx';
import { BanListForm } from '#components/settings/ban-list-form.tsx';
import { ExportArchive } from '#components/settings/export-archive.tsx';
import { ImportForm } from '#components/settings/import-form.tsx';
import { OwnerElsewhere } from '#components/settings/owner-elsewhere.tsx';
import { UndoImport } from '#components/settings/undo-import.tsx';
import { Panel, Section } from '#components/ui/panel.tsx';
import { RelativeTime } from '#components/ui/relative-time.tsx';
import { messagesFor } from '#src/messages.ts';
import { sectionTitle } from '#src/page-title.ts';
import { requireGuild } from '#src/pages.ts';
import { runtime } from '#src/runtime.ts';
import { PLACES } from '#src/settings-sections.ts';

export const generateMetadata = () => sectionTitle('imports');

export default kept(ImportSettings);

async function ImportSettings({ params }: { params: Promise<{ guildId: string }> }) {
  const { guild } = await requireGuild(params);
  if (!guild.isOwner) return <OwnerElsewhere />;
  const [t, all] = await Promise.all([messagesFor('settings'), listImports(runtime().db, guild.id)]);
  // One of Discord's list that was only looked through has brought nothing that could be undone.
  const imports = all.filter(
    ({ source, brought, finished_at }) => source !== 'discord' || brought > 0 || finished_at,
  );
  return (
    <>
      <div id={PLACES.importFile}>
        <Section title={t('imports.title')} lead={t('imports.lead')}>
          <Panel>
            <ImportForm guildId={guild.id} />
          </Panel>
        </Section>
      </div>
      <div id={PLACES.importBans}>
        <Section title={t('bans.title')} lead={t('bans.lead')}>
          <Panel>
            <BanListForm guildId={guild.id} />
          </Panel>
        </Section>
      </div>
      {imports.length === 0 ? null : (
        <Section title={t('imports.past')}>
          <Panel>
            <ul className="divide-line divide-y">
              {imports.map(({ id, source, file_name, brought, begun_at, finished_at, undone_at }) => {
                const file = source === 'discord' ? null : file_name;
                const words = file === null ? 'bans' : 'imports';
                return (
                  <li key={id} className="flex flex-wrap items-center justify-between gap-2 px-4 py-3">
                    <span className="wrap-anywhere">
                      <b className="font-medium">{file ?? t('bans.title')}</b> ·{' '}
                      {t(`${words}.brought`, { count: brought })} ·{' '}
                      <RelativeTime iso={begun_at.toISOString()} />
                      {undone_at !== null
                        ? ` · ${t('imports.isUndone')}`
                        : finished_at === null
                          ? ` · ${t(`${words}.stopped`)}`
                          : null}
                    </span>
                    {undone_at === null ? <UndoImport guildId={guild.id} importId={id} file={file} /> : null}
                  </li>
                );
              })}
            </ul>
          </Panel>
        </Section>
      )}
      <div id={PLACES.exportArchive}>
        <Section title={t('archive.title')} lead={t('archive.lead')}>
          <Panel>
            <ExportArchive guildId={guild.id} />
          </Panel>
        </Section>
      </div>
    </>
  );
}
