import type { Capability } from '@bailiff/core';
import { messagesFor } from '#src/messages.ts';
import { EmptyState, PageHeader, Panel } from './ui/panel.tsx';

/** What stands in place of a page whose reader lacks the capability for it. */
export async function NotOpen({ title, needs }: { title: string; needs: Capability }) {
  const t = await messagesFor('cases');
  return (
    <>
      <PageHeader title={title} />
      <Panel>
        <EmptyState title={t('notOpen')}>{t('notOpenHint', { capability: needs })}</EmptyState>
      </Panel>
    </>
  );
}
