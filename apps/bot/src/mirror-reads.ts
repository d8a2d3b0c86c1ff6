import { shownName } from '@bailiff/core';
import type { MirroredChannel } from '@bailiff/engine/guilds/channels';
import type { MirroredGuild, MirroredMember, MirroredRole } from '@bailiff/engine/guilds/mirror';
import {
  type APIGuild,
  type APIGuildMember,
  type APIOverwrite,
  type APIRole,
  type APIUser,
  ChannelType,
  RESTJSONErrorCodes as Code,
  GuildMFALevel,
  OverwriteType,
  Routes,
} from 'discord.js';
import { type DiscordApi, DiscordFailure } from './discord-api.ts';

/** The parts of Discord's objects that the mirror reads. Events and REST send the same format. */
export type WireRole = Pick<APIRole, 'id' | 'name' | 'position' | 'color' | 'permissions' | 'managed'>;
export type WireGuild = Pick<
  APIGuild,
  'id' | 'name' | 'icon' | 'owner_id' | 'preferred_locale' | 'mfa_level'
> & {
  readonly roles: readonly WireRole[];
};
/** A channel of a guild that is no thread. */
export interface WireChannel {
  readonly id: string;
  readonly type: ChannelType;
  readonly name?: string | null;
  readonly position?: number;
  readonly parent_id?: string | null;
  readonly permission_overwrites?: readonly APIOverwrite[];
  readonly flags?: number;
}
export type WireMember = Pick<APIGuildMember, 'nick' | 'roles' | 'communication_disabled_until'> & {
  readonly joined_at?: string | null;
  readonly user: Pick<APIUser, 'id' | 'username' | 'global_name' | 'avatar' | 'bot'>;
};

/** What the mirror stores about a guild itself. */
export interface GuildDescription {
  readonly described: MirroredGuild;
  readonly roles: readonly MirroredRole[];
}

export function descriptionOf(guild: WireGuild, shardId: number): GuildDescription {
  const { id, name, icon: iconHash, owner_id: ownerId, preferred_locale: preferredLocale, roles } = guild;
  const requiresTwoFactor = guild.mfa_level === GuildMFALevel.Elevated;
  const described = { id, name, iconHash, ownerId, shardId, preferredLocale, requiresTwoFactor };
  return { described, roles: roles.map(roleOf) };
}

export function roleOf({ id, name, position, color, permissions, managed }: WireRole): MirroredRole {
  return { id, name, position, color, permissions, managed };
}

const CHANNEL_KINDS: { readonly [Type in ChannelType]?: MirroredChannel['kind'] } = {
  [ChannelType.GuildText]: 'text',
  [ChannelType.GuildAnnouncement]: 'announcement',
  [ChannelType.GuildVoice]: 'voice',
  [ChannelType.GuildStageVoice]: 'stage',
  [ChannelType.GuildCategory]: 'category',
  [ChannelType.GuildForum]: 'forum',
  [ChannelType.GuildMedia]: 'media',
};

/** Discord's flag of a channel that the bot may not view. Its name and overwrites are made up. */
const OBFUSCATED = 1 << 17;

/** @param botUserId whose overwrites are kept besides those of roles; a ticket's channel has one for each person */
export function channelOf(channel: WireChannel, botUserId: string): MirroredChannel {
  const isHidden = ((channel.flags ?? 0) & OBFUSCATED) !== 0;
  const overwrites = channel.permission_overwrites ?? [];
  return {
    id: channel.id,
    kind: CHANNEL_KINDS[channel.type] ?? 'other',
    name: isHidden ? null : (channel.name ?? null),
    position: channel.position ?? 0,
    parentId: channel.parent_id ?? null,
    overwrites: overwrites
      .filter(({ type, id }) => type === OverwriteType.Role || id === botUserId)
      .map(({ id, allow, deny }) => ({ id, allow, deny })),
  };
}

/**
 * Whether Discord says that there is no such channel. Another refusal, as of a hidden one, does not say so.
 *
 * @throws DiscordFailure if Discord did not answer
 */
export async function isUnknownChannel(
  api: DiscordApi,
  channelId: string,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await api.get(Routes.channel(channelId), { signal });
    return false;
  } catch (error) {
    if (error instanceof DiscordFailure && error.kind === 'refused')
      return error.code === Code.UnknownChannel;
    throw error;
  }
}

export function memberOf({
  user,
  nick,
  roles,
  joined_at,
  communication_disabled_until: timedOutUntil,
}: WireMember): MirroredMember {
  return {
    userId: user.id,
    username: user.username,
    displayName: shownName(nick, user.global_name, user.username),
    avatarHash: user.avatar,
    bot: user.bot === true,
    roleIds: roles,
    joinedAt: joined_at ?? null,
    ...(timedOutUntil === undefined ? {} : { timedOutUntil }),
  };
}

const PAGE = 1000;

/** One page of a guild's members, by their ids, and from where the next one starts; null after the last one. */
export async function memberPage(
  api: DiscordApi,
  guildId: string,
  after: string,
  signal: AbortSignal,
): Promise<{ members: MirroredMember[]; next: string | null }> {
  const page = await api.get<APIGuildMember[]>(Routes.guildMembers(guildId), {
    query: { limit: String(PAGE), after },
    signal,
  });
  const highest = page.reduce((id, { user }) => (BigInt(user.id) > BigInt(id) ? user.id : id), after);
  return { members: page.map(memberOf), next: page.length < PAGE ? null : highest };
}
