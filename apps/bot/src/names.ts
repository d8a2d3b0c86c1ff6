import { keepName } from '@bailiff/engine/guilds/known-names';
import { type APIUser, RESTJSONErrorCodes as Code, Routes } from 'discord.js';
import { DiscordFailure } from './discord-api.ts';
import type { PerformerDeps } from './performers/index.ts';

/**
 * Stores the Discord name of a person who appeared in a record. An id that nobody has stays without a name.
 *
 * @throws DiscordFailure if Discord does not answer; the queue tries again
 */
export async function learnName(
  { db, api }: Pick<PerformerDeps, 'db' | 'api'>,
  userId: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    const user = await api.get<APIUser>(Routes.user(userId), { signal });
    await keepName(db, { userId, username: user.username, displayName: user.global_name ?? user.username });
  } catch (error) {
    if (!(error instanceof DiscordFailure && error.code === Code.UnknownUser)) throw error;
  }
}
