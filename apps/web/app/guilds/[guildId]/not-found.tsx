import { EmptyState, PageHeader, Panel } from '#components/ui/panel.tsx';
import { messagesFor } from '#src/messages.ts';

/** What stands in place of a case, member or ticket that a guild does not have. The guild's navigation stays. */
export default async function NotFoundInGuild() {
  const t = await messagesFor('shell');
  return (
    <>
      <PageHeader title={t('notFoundTitle')} />
      <Panel>
        <EmptyState title={t('notFoundHere')}>{t('notFoundHereLead')}</EmptyState>
      </Panel>
    </>
  );
}
