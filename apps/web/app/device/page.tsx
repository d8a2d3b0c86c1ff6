import { DEVICE_LIFETIME_SECONDS } from '@bailiff/core';
import { type GuildView, guildsOf } from '@bailiff/engine';
import type { Metadata } from 'next';
import { DeviceConsent } from '../../components/device-consent.tsx';
import { TopBar } from '../../components/top-bar.tsx';
import { buttonClass } from '../../components/ui/button.tsx';
import { EmptyState, PageHeader, Panel } from '../../components/ui/panel.tsx';
import { inviteUrl } from '../../src/invite.ts';
import { requireSession } from '../../src/pages.ts';
import { runtime } from '../../src/runtime.ts';

export const metadata: Metadata = { title: 'Connect a client' };

interface Props {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}

/** Where the owner of a guild lets a client in that shows a code (spec §5.8, RFC 8628 §3.3). */
export default async function DevicePage({ searchParams }: Props) {
  const session = await requireSession();
  const { user_code: given } = await searchParams;
  const { db, config } = runtime();
  const owned = (await guildsOf(db, session.userId)).filter(({ isOwner }) => isOwner);
  const guilds = owned.map((guild) => ({
    id: guild.id,
    name: guild.name,
    unfitBecause: unfitBecause(guild),
  }));
  return (
    <>
      <TopBar session={session} />
      <main id="content" className="mx-auto w-full max-w-xl px-4 py-8">
        <PageHeader title="Connect a client">
          A client on your computer, like Bailiff MCP, shows a code of eight letters. Enter it here to give
          the client a token for one of your guilds.
        </PageHeader>
        {guilds.some(({ unfitBecause: why }) => why === null) ? (
          <DeviceConsent
            guilds={guilds}
            givenCode={typeof given === 'string' ? given.slice(0, 64) : ''}
            codeMinutes={Math.round(DEVICE_LIFETIME_SECONDS / 60)}
          />
        ) : (
          <NoGuild guilds={guilds} invite={inviteUrl(config)} />
        )}
      </main>
    </>
  );
}

function unfitBecause({ tier, mirrorFresh }: GuildView): string | null {
  if (tier === 'free') return 'on the free tier; tokens are part of the paid one';
  return mirrorFresh ? null : 'the bot is not connected; try again in a minute';
}

function NoGuild({
  guilds,
  invite,
}: {
  guilds: readonly { id: string; name: string; unfitBecause: string | null }[];
  invite: string;
}) {
  return (
    <Panel>
      {guilds.length === 0 ? (
        <EmptyState
          title="You own no guild that Bailiff is in"
          action={
            <a href={invite} className={buttonClass('primary')}>
              Add Bailiff to a guild
            </a>
          }
        >
          Only a guild’s owner can let a client in. Add Bailiff to a guild of yours, or ask its owner to enter
          the code.
        </EmptyState>
      ) : (
        <EmptyState title="No guild of yours can take a client now">
          <ul>
            {guilds.map(({ id, name, unfitBecause: why }) => (
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
