import { messagesFor } from '#src/messages.ts';
import { EmptyState, PageHeader, Panel } from './ui/panel.tsx';

/** The page that a moderator sees if only the owner may use it. */
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
