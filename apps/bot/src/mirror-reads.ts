import type { MirroredGuild, MirroredMember, MirroredRole } from '@bailiff/engine/guilds/mirror';
import { type APIGuild, type APIGuildMember, type APIRole, type APIUser, Routes } from 'discord.js';
import type { DiscordApi } from './discord-api.ts';

/** The parts of Discord's objects that the mirror reads. Events and REST send the same format. */
export type WireRole = Pick<APIRole, 'id' | 'name' | 'position' | 'color' | 'permissions' | 'managed'>;
export type WireGuild = Pick<APIGuild, 'id' | 'name' | 'icon' | 'owner_id' | 'preferred_locale'> & {
  readonly roles: readonly WireRole[];
};
export type WireMember = Pick<APIGuildMember, 'nick' | 'roles'> & {
  readonly user: Pick<APIUser, 'id' | 'username' | 'global_name' | 'avatar' | 'bot'>;
};

/** What the mirror stores about a guild itself. */
export interface GuildDescription {
  readonly described: MirroredGuild;
  readonly roles: readonly MirroredRole[];
}

export function descriptionOf(guild: WireGuild, shardId: number): GuildDescription {
  const { id, name, icon: iconHash, owner_id: ownerId, preferred_locale: preferredLocale, roles } = guild;
  return { described: { id, name, iconHash, ownerId, shardId, preferredLocale }, roles: roles.map(roleOf) };
}

export function roleOf({ id, name, position, color, permissions, managed }: WireRole): MirroredRole {
  return { id, name, position, color, permissions, managed };
}

/** A member, and when their timeout ends. */
export interface ListedMember {
  readonly member: MirroredMember;
  readonly timedOutUntil: string | null;
}

export function memberOf({ user, nick, roles }: WireMember): MirroredMember {
  return {
    userId: user.id,
    username: user.username,
    displayName: nick ?? user.global_name ?? user.username,
    avatarHash: user.avatar,
    bot: user.bot === true,
    roleIds: roles,
  };
}

const PAGE = 1000;
const PAGE_TIMEOUT_MS = 15_000;

/**
 * Pages of every member of a guild.
 *
 * @throws Error if the bot itself is not among them, because then this is not the list of members
 */
export async function* allMembers(
  api: DiscordApi,
  guildId: string,
  botUserId: string,
  signal: AbortSignal,
): AsyncGenerator<ListedMember[]> {
  let after = '0';
  let metBot = false;
  for (;;) {
    const page = await api.get<APIGuildMember[]>(Routes.guildMembers(guildId), {
      query: { limit: String(PAGE), after },
      signal: AbortSignal.any([signal, AbortSignal.timeout(PAGE_TIMEOUT_MS)]),
    });
    for (const member of page) {
      metBot ||= member.user.id === botUserId;
      after = BigInt(member.user.id) > BigInt(after) ? member.user.id : after;
    }
    yield page.map((member) => ({
      member: memberOf(member),
      timedOutUntil: member.communication_disabled_until ?? null,
    }));
    if (page.length < PAGE) break;
  }
  if (!metBot) throw new Error(`Discord listed the members of guild ${guildId} without the bot.`);
}
