import type { Capability } from '@bailiff/core';
import { capabilityName } from '#src/capability-name.ts';
import { messagesFor } from '#src/messages.ts';
import { EmptyState, PageHeader, Panel } from './ui/panel.tsx';

/** The page that a reader without the needed capability sees instead. */
export async function NoAccess({ title, needs }: { title: string; needs: Capability }) {
  const t = await messagesFor('cases');
  const capability = await capabilityName(needs);
  return (
    <>
      <PageHeader title={title} />
      <Panel>
        <EmptyState title={t('noAccess')}>{t('noAccessHint', { capability })}</EmptyState>
      </Panel>
    </>
  );
}
