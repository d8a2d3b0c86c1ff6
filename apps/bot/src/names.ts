import { shownName } from '@bailiff/core';
import {
  askForNameAgain,
  keepChannelName,
  keepName,
  leaveUnnamed,
  personToName,
} from '@bailiff/engine/guilds/known-names';
import { type APIChannel, type APIUser, RESTJSONErrorCodes as Code, Routes } from 'discord.js';
import { DiscordFailure } from './discord-api.ts';
import { meaningOf } from './discord-errors.ts';
import type { PerformerDeps } from './performers/index.ts';

/** Longer than Discord's limit on names can make one wait. */
const NAME_TIMEOUT_MS = 45_000;

/**
 * Stores the Discord names of the people who appeared in records, one after the other. An id that nobody has stays
 * without a name. Waits for Discord's limits.
 *
 * @throws DiscordFailure if Discord does not answer; the queue tries again
 */
export async function learnNames(
  deps: Pick<PerformerDeps, 'db' | 'api'>,
  closing: AbortSignal,
): Promise<void> {
  for (;;) {
    const userId = await personToName(deps.db);
    if (userId === null) return;
    await learnName(deps, userId, AbortSignal.any([closing, AbortSignal.timeout(NAME_TIMEOUT_MS)]));
  }
}

async function learnName(
  { db, api }: Pick<PerformerDeps, 'db' | 'api'>,
  userId: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    // Nobody waits for a name.
    const longestWaitMs = Number.POSITIVE_INFINITY;
    const user = await api.get<APIUser>(Routes.user(userId), { signal, longestWaitMs });
    await keepName(db.pool, {
      userId,
      username: user.username,
      displayName: shownName(user.global_name, user.username),
      avatarHash: user.avatar,
    });
  } catch (error) {
    if (!(error instanceof DiscordFailure)) throw error;
    if (error.code === Code.UnknownUser) return leaveUnnamed(db, userId);
    if (meaningOf(error) === 'temporary') await askForNameAgain(db, userId);
    throw error;
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
