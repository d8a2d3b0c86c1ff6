import { EmptyState, Panel } from '#components/ui/panel.tsx';
import { messagesFor } from '#src/messages.ts';

/** What a moderator sees in a section of the settings that only the owner has. */
export async function OwnerElsewhere() {
  const t = await messagesFor('shell');
  return (
    <Panel>
      <EmptyState title={t('ownerOnly')}>{t('ownerOnlyLead')}</EmptyState>
    </Panel>
  );
}
