import { openWindowsOf } from '@bailiff/engine/tokens/windows';
import { Messages } from '#components/messages.tsx';
import { messagesFor } from '#src/messages.ts';
import { runtime } from '#src/runtime.ts';
import { WindowStrip } from './window-strip.tsx';

/** The open windows of all guilds that somebody owns, so that nobody forgets one on whatever page they are. */
export async function OpenWindows({ userId }: { userId: string }) {
  const windows = await openWindowsOf(runtime().db, userId);
  if (windows.length === 0) return null;
  const t = await messagesFor('approvals');
  const now = Date.now();
  return (
    <Messages namespaces={['approvals']}>
      <section aria-label={t('openWindows')} className="border-warn/40 bg-warn-tint border-b">
        <ul className="mx-auto grid max-w-[100rem] gap-1 px-3 py-1.5 sm:px-5">
          {windows.map(({ id, tokenId, tokenName, guildId, guildName, expiresAt }) => (
            <li key={id}>
              <WindowStrip
                tokenId={tokenId}
                tokenName={tokenName}
                guildId={guildId}
                guildName={guildName}
                leftMs={expiresAt.getTime() - now}
              />
            </li>
          ))}
        </ul>
      </section>
    </Messages>
  );
}
