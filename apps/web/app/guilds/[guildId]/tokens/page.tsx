import { CAPABILITIES } from '@bailiff/core';
import { guildsOf, listTokens, MOST_TOKENS_PER_GUILD, tokenWire } from '@bailiff/engine';
import { BookOpen, MonitorSmartphone } from 'lucide-react';
import type { Metadata } from 'next';
import Link from 'next/link';
import { OwnerOnly } from '../../../../components/owner-only.tsx';
import { DeveloperModeSwitch } from '../../../../components/preferences.tsx';
import { CreateToken } from '../../../../components/tokens/create-token.tsx';
import { RotationBanner } from '../../../../components/tokens/rotation-warnings.tsx';
import { TokenTable } from '../../../../components/tokens/token-table.tsx';
import { buttonClass } from '../../../../components/ui/button.tsx';
import { EmptyState, Notice, PageHeader, Panel } from '../../../../components/ui/panel.tsx';
import { isDeveloperMode, PREFERENCES, requireGuild } from '../../../../src/pages.ts';
import { runtime } from '../../../../src/runtime.ts';

export const metadata: Metadata = { title: 'API & MCP' };

export default async function TokensPage({ params }: { params: Promise<{ guildId: string }> }) {
  const { session, guild } = await requireGuild(params);
  if (!guild.isOwner) return <OwnerOnly title="API & MCP" />;
  if (!(await isDeveloperMode())) {
    return (
      <>
        <PageHeader title="API & MCP" />
        <Panel>
          <EmptyState
            title="For people who write programs"
            action={<DeveloperModeSwitch name={PREFERENCES.developerMode} on={false} />}
          >
            Tokens let scripts and assistants act in {guild.name}. Turn on Developer Mode in this browser to
            see them.
          </EmptyState>
        </Panel>
      </>
    );
  }
  const { db, config } = runtime();
  const [tokens, guilds] = await Promise.all([
    listTokens(db, session.userId, guild.id),
    guildsOf(db, session.userId),
  ]);
  const live = tokens.filter(({ state }) => state !== 'revoked').length;
  const create = (
    <CreateToken
      guildId={guild.id}
      guilds={guilds.filter(({ isOwner }) => isOwner).map(({ id, name }) => ({ id, name }))}
      capabilities={CAPABILITIES}
      publicUrl={config.publicUrl}
      disabledBecause={
        guild.tier === 'free'
          ? 'Tokens are part of the paid tier'
          : live >= MOST_TOKENS_PER_GUILD
            ? `A guild has at most ${MOST_TOKENS_PER_GUILD} tokens that are not revoked`
            : null
      }
    />
  );
  const wires = tokens.map(tokenWire);
  return (
    <>
      <PageHeader
        title="API & MCP"
        actions={
          <>
            <Link href={`/docs/api?guild=${guild.id}`} className={buttonClass()}>
              <BookOpen aria-hidden size={16} />
              API reference
            </Link>
            <Link href="/device" className={buttonClass()}>
              <MonitorSmartphone aria-hidden size={16} />
              Connect a client
            </Link>
            {create}
          </>
        }
      >
        Tokens act in {guild.name} with your rights, narrowed as you choose. Destructive calls wait for your
        approval.
      </PageHeader>
      {guild.tier === 'free' ? (
        <div className="mb-4">
          <Notice tone="warn" title="This guild is on the free tier">
            Tokens are part of the paid tier.
          </Notice>
        </div>
      ) : null}
      <RotationBanner tokens={wires} />
      <Panel>
        {tokens.length === 0 ? (
          <EmptyState title="No token yet">
            Create one, store its secret where your script can read it, and paste the curl line to try it.
          </EmptyState>
        ) : (
          <TokenTable tokens={wires} />
        )}
      </Panel>
    </>
  );
}
