import { LinkButton } from '#components/ui/button.tsx';
import { EmptyState, PageHeader, Panel } from '#components/ui/panel.tsx';
import { messagesFor } from '#src/messages.ts';

/**
 * What stands in place of a case, member or ticket that a guild does not have, or of any page of a guild that its
 * reader has lost access to since they opened one. The guild's navigation stays. Next renders this with the layout,
 * before it is known which of them it is for.
 */
export default async function NotFoundInGuild() {
  const t = await messagesFor('shell');
  const leave = <LinkButton href="/">{t('goToGuilds')}</LinkButton>;
  return (
    <>
      <PageHeader title={t('notFoundTitle')} />
      <Panel>
        <EmptyState title={t('notFoundHere')} action={leave}>
          {t('notFoundHereLead')}
        </EmptyState>
      </Panel>
    </>
  );
}
