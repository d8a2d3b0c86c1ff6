import type { GuildView } from '@bailiff/engine/guilds/guilds';
import { messagesFor } from '#src/messages.ts';
import { mirrorTrouble } from '#src/mirror-trouble.ts';
import { StateWatch } from './state-watch.tsx';
import { Callout } from './ui/panel.tsx';

/** Says that the bot or Discord is away from a guild, why, and what works meanwhile. Nothing while all is well. */
export async function StateBanner({ guild }: { guild: GuildView }) {
  const trouble = mirrorTrouble(guild);
  const t = await messagesFor('shell');
  return (
    <>
      <StateWatch guildId={guild.id} shown={trouble} />
      {trouble === null ? null : (
        <div className="mb-4" role="status">
          <Callout tone="warn" title={t(`state.${trouble}`)}>
            {trouble === 'no_access' ? <p>{t('regainAccess')}</p> : null}
            <p>{t('meanwhile')}</p>
          </Callout>
        </div>
      )}
    </>
  );
}
