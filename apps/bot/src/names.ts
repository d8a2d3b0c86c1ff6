import { keepChannelName, keepName } from '@bailiff/engine/guilds/known-names';
import { type APIChannel, type APIUser, RESTJSONErrorCodes as Code, Routes } from 'discord.js';
import { DiscordFailure } from './discord-api.ts';
import type { PerformerDeps } from './performers/index.ts';

/**
 * Stores the Discord name of a person who appeared in a record. An id that nobody has stays without a name. Waits for
 * Discord's limits as long as `signal` allows.
 *
 * @throws DiscordFailure if Discord does not answer; the queue tries again
 */
export async function learnName(
  { db, api }: Pick<PerformerDeps, 'db' | 'api'>,
  userId: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    // Nobody waits for a name.
    const longestWaitMs = Number.POSITIVE_INFINITY;
    const user = await api.get<APIUser>(Routes.user(userId), { signal, longestWaitMs });
    await keepName(db, {
      userId,
      username: user.username,
      displayName: user.global_name ?? user.username,
      avatarHash: user.avatar,
    });
  } catch (error) {
    if (!(error instanceof DiscordFailure && error.code === Code.UnknownUser)) throw error;
  }
}

/** Channels that the bot cannot see stay without a name. */
const NO_CHANNEL: readonly unknown[] = [Code.UnknownChannel, Code.MissingAccess, Code.MissingPermissions];

/**
 * Stores the name of a channel that a call which waits for approval is about. A channel of another guild stays without.
 *
 * @throws DiscordFailure if Discord does not answer; the queue tries again
 */
export async function learnChannel(
  { db, api }: Pick<PerformerDeps, 'db' | 'api'>,
  { guildId, channelId }: { guildId: string; channelId: string },
  signal: AbortSignal,
): Promise<void> {
  try {
    const channel = await api.get<APIChannel>(Routes.channel(channelId), { signal });
    if (!('guild_id' in channel) || channel.guild_id !== guildId || !channel.name) return;
    await keepChannelName(db, { guildId, channelId, name: channel.name });
  } catch (error) {
    if (!(error instanceof DiscordFailure && NO_CHANNEL.includes(error.code))) throw error;
  }
}
