import type { GuildView } from '@bailiff/engine/guilds/guilds';
import { messagesFor } from '#src/messages.ts';
import { runtime } from '#src/runtime.ts';
import { troubleOf } from '#src/trouble.ts';
import { StateWatch } from './state-watch.tsx';
import { Callout } from './ui/panel.tsx';

/**
 * Says that the bot or Discord is away from a guild, or that the database is slow, and what works meanwhile. Nothing while
 * all is well.
 */
export async function StateBanner({ guild }: { guild: GuildView }) {
  const trouble = troubleOf(guild, runtime().pace);
  const t = await messagesFor('shell');
  return (
    <>
      <StateWatch guildId={guild.id} shown={trouble} />
      {trouble === null ? null : (
        <div className="mb-4" role="status">
          <Callout tone="warn" title={t(`state.${trouble}`)}>
            {trouble === 'no_access' ? <p>{t('regainAccess')}</p> : null}
            <p>{t(trouble === 'database_slow' ? 'meanwhileSlow' : 'meanwhile')}</p>
          </Callout>
        </div>
      )}
    </>
  );
}
