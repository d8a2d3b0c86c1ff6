import { permissionsInChannel, permissionsLacking } from '@bailiff/core';
import type { ActionError } from '@bailiff/engine/calls/actions';
import { type APIMessage, ChannelType, Routes } from 'discord.js';
import { type AccessDeps, neededThere, requireAccess } from './channel-access.ts';
import { DiscordFailure } from './discord-api.ts';
import { meaningOf } from './discord-errors.ts';
import { findMember, permissionsOf, readBotHierarchy } from './performers/members.ts';

/** A channel that somebody wants read. */
interface WantedChannel {
  readonly guildId: string;
  readonly channelId: string;
  /** Who wants it read. */
  readonly userId: string;
}

/** A message that somebody names. */
interface NamedMessage extends WantedChannel {
  readonly messageId: string;
}

/**
 * Whether the person can read in Discord what stands in a channel of the guild at this moment, or why the bot itself
 * cannot.
 *
 * @throws DiscordFailure if Discord does not say
 */
export async function readableFor(
  deps: AccessDeps,
  { guildId, channelId, userId }: WantedChannel,
  signal: AbortSignal,
): Promise<{ isReadable: boolean } | { refusal: ActionError }> {
  const found = await requireAccess(
    deps,
    { guildId, channelId, signal },
    'ViewChannel',
    'ReadMessageHistory',
  );
  if ('refusal' in found) return found;
  const [member, hierarchy] = await Promise.all([
    findMember(deps, guildId, userId, signal),
    readBotHierarchy(deps, guildId, signal),
  ]);
  if (member === null) return { isReadable: false };
  const { type, overwrites } = found.access;
  const permissions = hierarchy.ownerId === userId ? ~0n : permissionsOf(hierarchy, member.roles);
  const bits = permissionsInChannel({ guildId, userId, roleIds: member.roles, permissions }, overwrites);
  // Only its members see a private thread, and who manages threads. The bot does not ask who its members are.
  const needed = neededThere(found.access, 'ViewChannel', 'ReadMessageHistory');
  const all = type === ChannelType.PrivateThread ? ([...needed, 'ManageThreads'] as const) : needed;
  return { isReadable: permissionsLacking(bits, all).length === 0 };
}

/**
 * A message of the guild that the person can read in Discord at this moment. Null for every other one, so that nobody
 * learns through the bot what is written, or that there is something, where they cannot look.
 *
 * @throws DiscordFailure if Discord does not say
 */
export async function readableMessage(
  deps: AccessDeps,
  named: NamedMessage,
  signal: AbortSignal,
): Promise<APIMessage | null> {
  const found = await readableFor(deps, named, signal);
  if ('refusal' in found || !found.isReadable) return null;
  return deps.api
    .get<APIMessage>(Routes.channelMessage(named.channelId, named.messageId), { signal })
    .catch((error: unknown) => {
      if (error instanceof DiscordFailure && meaningOf(error) !== 'temporary') return null;
      throw error;
    });
}
