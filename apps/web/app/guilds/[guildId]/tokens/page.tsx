import { CAPABILITIES, CAPABILITY_PRESETS } from '@bailiff/core';
import { type GuildView, guildsOf } from '@bailiff/engine/guilds/guilds';
import {
  listTokens,
  MOST_REVOKED_LISTED,
  MOST_TOKENS_PER_GUILD,
  tokenWire,
} from '@bailiff/engine/tokens/token-view';
import { BookOpen, MonitorSmartphone } from 'lucide-react';
import { DeveloperModeSwitch } from '#components/developer-mode-switch.tsx';
import { GuideLink } from '#components/documents/guide-link.tsx';
import { kept } from '#components/kept.tsx';
import { Live } from '#components/live.tsx';
import { Messages } from '#components/messages.tsx';
import { OwnerOnly } from '#components/owner-only.tsx';
import { CreateToken } from '#components/tokens/create-token.tsx';
import { RotationBanners } from '#components/tokens/rotation-warnings.tsx';
import { TokenTable } from '#components/tokens/token-table.tsx';
import { LinkButton } from '#components/ui/button.tsx';
import { Callout, EmptyState, PageHeader, Panel } from '#components/ui/panel.tsx';
import { messagesFor } from '#src/messages.ts';
import { pageTitle } from '#src/page-title.ts';
import { clientAddress, forgottenProxy, isDeveloperMode, PREFERENCES, requireGuild } from '#src/pages.ts';
import { runtime } from '#src/runtime.ts';

export const generateMetadata = () => pageTitle((t) => t('tokens'));

export default kept(TokensPage);

async function TokensPage({ params }: { params: Promise<{ guildId: string }> }) {
  const { session, guild } = await requireGuild(params);
  const title = (await messagesFor('shell'))('tokens');
  if (!guild.isOwner) return <OwnerOnly title={title} />;
  if (!(await isDeveloperMode())) return <ForDevelopers title={title} guild={guild} />;
  const t = await messagesFor('tokens');
  const { db, config } = runtime();
  const [tokens, guilds, address, proxy] = await Promise.all([
    listTokens(db, session.userId, guild.id),
    guildsOf(db, session.userId),
    clientAddress(),
    forgottenProxy(),
  ]);
  const myAddress = proxy === null ? address : null;
  const instance = { publicUrl: config.publicUrl, mcpPackage: config.mcpPackage };
  const live = tokens.filter(({ state }) => state !== 'revoked').length;
  const full = live < MOST_TOKENS_PER_GUILD ? null : t('atMost', { count: String(MOST_TOKENS_PER_GUILD) });
  const isFree = guild.tier === 'free';
  const wires = tokens.map(tokenWire);
  return (
    <Messages namespaces={['tokens', 'capabilities', 'approvals']}>
      <PageHeader
        title={title}
        actions={
          <>
            <LinkButton href={`/docs/api?guild=${guild.id}`}>
              <BookOpen aria-hidden size={16} />
              {t('reference')}
            </LinkButton>
            <LinkButton href="/device">
              <MonitorSmartphone aria-hidden size={16} />
              {t('connect')}
            </LinkButton>
            <CreateToken
              guildId={guild.id}
              guilds={guilds.filter(({ isOwner }) => isOwner).map(({ id, name }) => ({ id, name }))}
              capabilities={CAPABILITIES}
              presets={CAPABILITY_PRESETS}
              instance={instance}
              myAddress={myAddress}
              disabledBecause={isFree ? t('freeTierText') : full}
            />
          </>
        }
        obstacles={isFree ? [] : [full]}
      >
        {t('lead', { guild: guild.name })} <GuideLink topic="tokens" />
      </PageHeader>
      {isFree ? (
        <div className="mb-4">
          <Callout tone="warn" title={t('freeTier')}>
            {t('freeTierText')}
          </Callout>
        </div>
      ) : null}
      <RotationBanners tokens={wires.filter(({ issuer_id }) => issuer_id === session.userId)} />
      <Panel>
        {tokens.length === 0 ? (
          <EmptyState title={t('noneTitle')}>{t('noneText')}</EmptyState>
        ) : (
          <TokenTable
            tokens={wires}
            viewerId={session.userId}
            instance={instance}
            myAddress={myAddress}
            allCapabilities={CAPABILITIES.length}
            windowMinutes={runtime().config.reauthWindowMinutes}
          />
        )}
      </Panel>
      {tokens.length - live < MOST_REVOKED_LISTED ? null : (
        <p className="text-ink-soft mt-2 text-sm">
          {t('newestRevoked', { count: String(MOST_REVOKED_LISTED) })}
        </p>
      )}
      <Live guildId={guild.id} kinds={['token', 'window']} />
    </Messages>
  );
}

async function ForDevelopers({ title, guild }: { title: string; guild: GuildView }) {
  const t = await messagesFor('tokens');
  return (
    <>
      <PageHeader title={title} />
      <Panel>
        <EmptyState
          title={t('forDevelopers')}
          action={<DeveloperModeSwitch name={PREFERENCES.developerMode} on={false} isOwner />}
        >
          {t('forDevelopersText', { guild: guild.name })}
        </EmptyState>
      </Panel>
    </>
  );
}
