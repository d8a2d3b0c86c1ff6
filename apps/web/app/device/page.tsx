import { CAPABILITY_PRESETS, DEVICE_LIFETIME_SECONDS } from '@bailiff/core';
import { type GuildView, guildsOf } from '@bailiff/engine/guilds/guilds';
import type { Translator } from '@bailiff/messages';
import { DeviceConsent } from '#components/device/device-consent.tsx';
import { Messages } from '#components/messages.tsx';
import { TopBar } from '#components/top-bar.tsx';
import { LinkButton } from '#components/ui/button.tsx';
import { CodeBlock } from '#components/ui/code-block.tsx';
import { EmptyState, PageHeader, Panel, Section } from '#components/ui/panel.tsx';
import { Tabs } from '#components/ui/tabs-panel.tsx';
import { inviteUrl } from '#src/invite.ts';
import { mcpLogin, mcpSnippets } from '#src/mcp-clients.ts';
import { messagesFor } from '#src/messages.ts';
import { clientAddress, forgottenProxy, requireSession } from '#src/pages.ts';
import { runtime } from '#src/runtime.ts';

export async function generateMetadata() {
  return { title: (await messagesFor('device'))('title') };
}

interface Props {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

/** The page where the owner of a guild enters a client's code and approves it (spec §5.8, RFC 8628 §3.3). */
export default async function DevicePage({ searchParams }: Props) {
  const session = await requireSession();
  const { user_code: given } = await searchParams;
  const t = await messagesFor('device');
  const { db, config } = runtime();
  const owned = (await guildsOf(db, session.userId)).filter(({ isOwner }) => isOwner);
  const guilds = owned.map((guild) => ({
    id: guild.id,
    name: guild.name,
    unavailableReason: unavailableReason(guild, t),
    capabilities: guild.capabilities,
  }));
  const [address, proxy] = await Promise.all([clientAddress(), forgottenProxy()]);
  const isFit = guilds.some(({ unavailableReason: why }) => why === null);
  return (
    <Messages namespaces={['device', 'tokens', 'capabilities']}>
      <TopBar session={session} />
      <main id="content" className="mx-auto w-full max-w-xl px-4 py-8">
        <PageHeader title={t('title')}>{t('lead')}</PageHeader>
        {isFit ? (
          <div className="grid grid-cols-[minmax(0,1fr)] gap-7">
            <DeviceConsent
              guilds={guilds}
              presets={CAPABILITY_PRESETS}
              myAddress={proxy === null ? address : null}
              givenCode={typeof given === 'string' ? given.slice(0, 64) : ''}
              codeMinutes={Math.round(DEVICE_LIFETIME_SECONDS / 60)}
            />
            <LoginHelp />
          </div>
        ) : (
          <NoGuild guilds={guilds} invite={inviteUrl(config)} />
        )}
      </main>
    </Messages>
  );
}

function unavailableReason({ tier, mirrorFresh }: GuildView, t: Translator<'device'>): string | null {
  if (tier === 'free') return t('freeTier');
  return mirrorFresh ? null : t('botAway');
}

/** How to start the login of a client, and how assistants start it. */
async function LoginHelp() {
  const { config, mcpBundle } = runtime();
  const [t, tokens] = await Promise.all([messagesFor('device'), messagesFor('tokens')]);
  return (
    <Section title={t('noClient')} lead={t('noClientText')}>
      <CodeBlock
        label={tokens('intoTerminal')}
        text={mcpLogin(config, mcpBundle?.sha256 ?? null)}
        copy={tokens('copyLine')}
      />
      <p className="text-ink-soft mt-4 mb-2">{t('thenConfigure')}</p>
      <Tabs
        label={tokens('use')}
        items={mcpSnippets(config, null).map(({ client, file, text }) => ({
          value: client,
          label: client,
          content: (
            <CodeBlock
              label={file === null ? tokens('intoTerminal') : tokens('intoFile', { file })}
              text={text}
              copy={file === null ? tokens('copyLine') : tokens('copyConfiguration')}
            />
          ),
        }))}
      />
    </Section>
  );
}

async function NoGuild({
  guilds,
  invite,
}: {
  guilds: readonly { id: string; name: string; unavailableReason: string | null }[];
  invite: string;
}) {
  const t = await messagesFor('device');
  return (
    <Panel>
      {guilds.length === 0 ? (
        <EmptyState
          title={t('noneOwned')}
          action={
            <LinkButton href={invite} variant="primary">
              {t('add')}
            </LinkButton>
          }
        >
          {t('noneOwnedText')}
        </EmptyState>
      ) : (
        <EmptyState title={t('noneFit')}>
          <ul>
            {guilds.map(({ id, name, unavailableReason: why }) => (
              <li key={id}>
                {name}: {why}
              </li>
            ))}
          </ul>
        </EmptyState>
      )}
    </Panel>
  );
}
