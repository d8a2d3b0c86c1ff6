import { messagesFor } from '#src/messages.ts';
import { EmptyState, PageHeader, Panel } from './ui/panel.tsx';

/** What a moderator sees where only the owner can do something. */
export async function OwnerOnly({ title }: { title: string }) {
  const t = await messagesFor('shell');
  return (
    <>
      <PageHeader title={title} />
      <Panel>
        <EmptyState title={t('ownerOnly')}>{t('ownerOnlyLead')}</EmptyState>
      </Panel>
    </>
  );
}
