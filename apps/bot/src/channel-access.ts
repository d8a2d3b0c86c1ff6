import {
  type ChannelOverwrite,
  type DiscordPermission,
  permissionsInChannel,
  permissionsLacking,
} from '@bailiff/core';
import { notFound } from '@bailiff/engine/calls/action-errors';
import type { ActionError } from '@bailiff/engine/calls/actions';
import { type APIChannel, ChannelType, RESTJSONErrorCodes as Code, Routes } from 'discord.js';
import { DiscordFailure } from './discord-api.ts';
import type { PerformerDeps } from './performers/deps.ts';
import { type Hierarchy, missingPermissions, permissionsOf, readBotHierarchy } from './performers/members.ts';

export type AccessDeps = Pick<PerformerDeps, 'db' | 'api' | 'botUserId'>;

/** A channel of a guild, and what the bot may do there. */
interface ChannelAccess {
  readonly id: string;
  readonly name: string;
  readonly type: ChannelType;
  readonly permissions: bigint;
  /** What roles and people may do there; those of a thread are its channel's. */
  readonly overwrites: readonly ChannelOverwrite[];
  /** As Discord has it. */
  readonly channel: APIChannel;
}

const THREADS: readonly ChannelType[] = [
  ChannelType.AnnouncementThread,
  ChannelType.PublicThread,
  ChannelType.PrivateThread,
];
const VOICE: readonly ChannelType[] = [ChannelType.GuildVoice, ChannelType.GuildStageVoice];

/**
 * What the bot may do in a channel: a thread has the permissions of its channel. The roles come from the mirror if it
 * is fresh, the channel always from Discord.
 *
 * @throws DiscordFailure, also for a channel that the bot does not see
 * @returns null for a channel that is not of this guild
 */
async function readChannelAccess(
  deps: AccessDeps,
  guildId: string,
  channelId: string,
  signal: AbortSignal,
): Promise<ChannelAccess | null> {
  const [channel, hierarchy] = await Promise.all([
    deps.api.get<APIChannel>(Routes.channel(channelId), { signal }),
    readBotHierarchy(deps, guildId, signal),
  ]);
  if (!('guild_id' in channel) || channel.guild_id !== guildId) return null;
  const isThread = THREADS.includes(channel.type);
  const parentId = 'parent_id' in channel ? channel.parent_id : null;
  const home =
    isThread && parentId ? await deps.api.get<APIChannel>(Routes.channel(parentId), { signal }) : channel;
  return {
    id: channel.id,
    name: 'name' in channel && channel.name ? channel.name : channel.id,
    type: channel.type,
    permissions: permissionsIn(home, hierarchy, deps.botUserId),
    overwrites: overwritesOf(home),
    channel,
  };
}

function permissionsIn(channel: APIChannel, hierarchy: Hierarchy, botUserId: string): bigint {
  const { guildId, botRoleIds } = hierarchy;
  const permissions = permissionsOf(hierarchy, botRoleIds);
  return permissionsInChannel(
    { guildId, userId: botUserId, roleIds: botRoleIds ?? [], permissions },
    overwritesOf(channel),
  );
}

function overwritesOf(channel: APIChannel): readonly ChannelOverwrite[] {
  return ('permission_overwrites' in channel && channel.permission_overwrites) || [];
}

/** What somebody needs there for this: in the text of a voice channel, only who may join it does or reads anything. */
export function neededThere(
  { type }: Pick<ChannelAccess, 'type'>,
  ...needed: readonly DiscordPermission[]
): readonly DiscordPermission[] {
  return VOICE.includes(type) ? [...needed, 'Connect'] : needed;
}

/** Why the bot cannot do something there that needs these permissions. Null if it can. */
function accessRefusal(access: ChannelAccess, ...needed: readonly DiscordPermission[]): ActionError | null {
  const lacking = permissionsLacking(access.permissions, neededThere(access, ...needed));
  return lacking.length === 0 ? null : missingPermissions(lacking, access);
}

/** Why the bot cannot do something in the guild that needs these permissions. Null if it can. @throws DiscordFailure */
export async function guildRefusal(
  deps: AccessDeps,
  guildId: string,
  signal: AbortSignal,
  ...needed: readonly DiscordPermission[]
): Promise<ActionError | null> {
  const hierarchy = await readBotHierarchy(deps, guildId, signal);
  const lacking = permissionsLacking(permissionsOf(hierarchy, hierarchy.botRoleIds), needed);
  return lacking.length === 0 ? null : missingPermissions(lacking);
}

/**
 * The channel as the bot may use it, or why it may not.
 *
 * @throws DiscordFailure unless it is about the channel itself
 */
export async function requireAccess(
  deps: AccessDeps,
  { guildId, channelId, signal }: { guildId: string; channelId: string; signal: AbortSignal },
  ...needed: readonly DiscordPermission[]
): Promise<{ access: ChannelAccess } | { refusal: ActionError }> {
  const absent = { refusal: notFound('channel', channelId) };
  try {
    const access = await readChannelAccess(deps, guildId, channelId, signal);
    if (access === null) return absent;
    const refusal = accessRefusal(access, ...needed);
    return refusal === null ? { access } : { refusal };
  } catch (error) {
    if (!(error instanceof DiscordFailure)) throw error;
    if (error.code === Code.UnknownChannel) return absent;
    if (error.code !== Code.MissingAccess) throw error;
    return { refusal: missingPermissions(['ViewChannel'], { id: channelId, name: null }) };
  }
}
