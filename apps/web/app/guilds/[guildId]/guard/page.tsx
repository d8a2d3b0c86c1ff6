import { listTokens } from '@bailiff/engine/tokens/token-view';
import { GuardCheck } from '#components/guard/guard-check.tsx';
import { kept } from '#components/kept.tsx';
import { Messages } from '#components/messages.tsx';
import { OwnerOnly } from '#components/owner-only.tsx';
import { LinkButton } from '#components/ui/button.tsx';
import { EmptyState, PageHeader, Panel } from '#components/ui/panel.tsx';
import { messagesFor } from '#src/messages.ts';
import { pageTitle } from '#src/page-title.ts';
import { clientAddress, requireGuild } from '#src/pages.ts';
import { runtime } from '#src/runtime.ts';

export const generateMetadata = () => pageTitle((t) => t('guard'));

/** The page of the guard check (decisions: Guard check). */
export default kept(GuardPage);

async function GuardPage({ params }: { params: Promise<{ guildId: string }> }) {
  const { session, guild } = await requireGuild(params);
  const shell = await messagesFor('shell');
  const title = shell('guard');
  if (!guild.isOwner) return <OwnerOnly title={title} />;
  const t = await messagesFor('guard');
  const { db, config } = runtime();
  const tokens = await listTokens(db, session.userId, guild.id);
  return (
    <Messages namespaces={['guard']}>
      <PageHeader title={title}>{t('lead')}</PageHeader>
      {tokens.length === 0 ? (
        <Panel>
          <EmptyState
            title={t('noToken')}
            action={<LinkButton href={`/guilds/${guild.id}/tokens`}>{shell('tokens')}</LinkButton>}
          >
            {t('noTokenText')}
          </EmptyState>
        </Panel>
      ) : (
        <GuardCheck
          guildId={guild.id}
          tokens={tokens.map(({ id, name, state, secretLastFour }) => ({
            id,
            name,
            state,
            secretEnd: secretLastFour,
          }))}
          myAddress={await clientAddress()}
          publicUrl={config.publicUrl}
        />
      )}
    </Messages>
  );
}
