import { postingChannels } from '@bailiff/engine/guilds/channel-choices';
import type { ChannelChoice } from '#components/settings/channel-field.tsx';
import { messagesFor } from './messages.ts';
import { runtime } from './runtime.ts';

/** The channels of a guild that messages can be posted in, and a sentence about those that Bailiff cannot see. */
export async function channelChoices(
  guildId: string,
): Promise<{ readonly channels: readonly ChannelChoice[]; readonly hiddenChannels: string | null }> {
  const [t, errors, posting] = await Promise.all([
    messagesFor('settings'),
    messagesFor('errors'),
    postingChannels(runtime().db, guildId),
  ]);
  return {
    channels: posting.channels.map(({ lacking, ...channel }) => ({
      ...channel,
      lacks: lacking.length === 0 ? null : lacking.map((name) => errors(`permissions.${name}`)).join(', '),
    })),
    hiddenChannels:
      posting.hidden === 0
        ? null
        : t('guild.channelHidden', { count: posting.hidden, permission: errors('permissions.ViewChannel') }),
  };
}
