import { permissionsInChannel, permissionsLacking } from '@bailiff/core';
import { type APIMessage, ChannelType, Routes } from 'discord.js';
import { type AccessDeps, neededThere, requireAccess } from './channel-access.ts';
import { DiscordFailure } from './discord-api.ts';
import { findMember, permissionsOf, readBotHierarchy } from './performers/members.ts';

/** A message that somebody names. */
interface NamedMessage {
  readonly guildId: string;
  readonly channelId: string;
  readonly messageId: string;
  /** Who wants it read. */
  readonly userId: string;
}

/**
 * A message of the guild that the person can read in Discord at this moment. Null for every other one, so that nobody
 * learns through the bot what is written, or that there is something, where they cannot look.
 *
 * @throws DiscordFailure if Discord does not say
 */
export async function readableMessage(
  deps: AccessDeps,
  { guildId, channelId, messageId, userId }: NamedMessage,
  signal: AbortSignal,
): Promise<APIMessage | null> {
  const found = await requireAccess(
    deps,
    { guildId, channelId, signal },
    'ViewChannel',
    'ReadMessageHistory',
  );
  if ('refusal' in found) return null;
  const [member, hierarchy] = await Promise.all([
    findMember(deps, guildId, userId, signal),
    readBotHierarchy(deps, guildId, signal),
  ]);
  if (member === null) return null;
  const { type, overwrites } = found.access;
  const permissions = hierarchy.ownerId === userId ? ~0n : permissionsOf(hierarchy, member.roles);
  const bits = permissionsInChannel({ guildId, userId, roleIds: member.roles, permissions }, overwrites);
  // Only its members see a private thread, and who manages threads. The bot does not ask who its members are.
  const needed = neededThere(found.access, 'ViewChannel', 'ReadMessageHistory');
  const all = type === ChannelType.PrivateThread ? ([...needed, 'ManageThreads'] as const) : needed;
  if (permissionsLacking(bits, all).length > 0) return null;
  return deps.api
    .get<APIMessage>(Routes.channelMessage(channelId, messageId), { signal })
    .catch((error: unknown) => {
      if (error instanceof DiscordFailure && error.kind === 'refused') return null;
      throw error;
    });
}
