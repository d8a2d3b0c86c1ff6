import {
  DISCORD_PERMISSIONS,
  type DiscordPermission,
  isAbove,
  permissionTitle,
  type RolePlace,
  targetRefusal,
} from '@bailiff/core';
import { forbidden } from '@bailiff/engine/calls/action-errors';
import type { ActionError, ActionRecord } from '@bailiff/engine/calls/actions';
import { type MirroredHierarchy, mirroredHierarchy } from '@bailiff/engine/guilds/hierarchy';
import { sql } from '@bailiff/prisma';
import {
  type APIGuild,
  type APIGuildMember,
  type APIUser,
  RESTJSONErrorCodes as Code,
  GuildMFALevel,
  Routes,
} from 'discord.js';
import { DiscordFailure } from '#src/discord-api.ts';
import type { PerformerDeps } from './deps.ts';

interface GuildRole extends RolePlace {
  /** Bit set as a decimal number. */
  readonly permissions: string;
}

/** A guild's owner and roles, and the roles of the bot and the actor. They decide which users an action may affect. */
export interface Hierarchy {
  readonly guildId: string;
  readonly ownerId: string;
  readonly requiresTwoFactor: boolean;
  readonly roles: readonly GuildRole[];
  /** Roles of the bot and of the actor. Null for a person who is not a member. */
  readonly botRoleIds: readonly string[] | null;
  readonly actorRoleIds: readonly string[] | null;
  readonly actorUsername: string | null;
}

/**
 * The hierarchy of an action's guild, and the action's target. It comes from the mirror, which follows the gateway, or
 * from Discord if the mirror is not trusted or lacks a role of the member. The member is always read from Discord
 * (decisions: Operations).
 *
 * @param of.mirrored what the mirror had at the claim
 * @throws DiscordFailure
 */
export async function readHierarchy(
  deps: PerformerDeps,
  of: { readonly action: ActionRecord; readonly mirrored: MirroredHierarchy | null },
  readingMember: Promise<APIGuildMember | null>,
  signal: AbortSignal,
): Promise<{ hierarchy: Hierarchy; member: APIGuildMember | null }> {
  const { action } = of;
  const mirrored = hierarchyInMirror(deps, action.guildId, of.mirrored);
  const member = await readingMember;
  const known = new Set(mirrored?.roles.map(({ id }) => id));
  const isComplete = mirrored !== null && (member?.roles ?? []).every((id) => known.has(id));
  return { hierarchy: isComplete ? mirrored : await hierarchyAtDiscord(deps, action, signal), member };
}

/** The guild and who acts there. */
type Acting = Pick<ActionRecord, 'guildId'> & { readonly actor: Pick<ActionRecord['actor'], 'userId'> };

/** Null if the mirror is not trusted, or is that of another bot: then this one has only just come. */
function hierarchyInMirror(
  { botUserId }: Pick<PerformerDeps, 'botUserId'>,
  guildId: string,
  mirrored: MirroredHierarchy | null,
): Hierarchy | null {
  if (mirrored === null || mirrored.bot_user_id !== botUserId) return null;
  return {
    guildId,
    ownerId: mirrored.owner_id,
    requiresTwoFactor: mirrored.requires_two_factor,
    roles: mirrored.roles ?? [],
    botRoleIds: mirrored.bot_role_ids,
    actorRoleIds: mirrored.actor_role_ids,
    actorUsername: mirrored.actor_username,
  };
}

async function hierarchyAtDiscord(
  deps: Pick<PerformerDeps, 'api' | 'botUserId'>,
  action: Acting,
  signal: AbortSignal,
): Promise<Hierarchy> {
  const { guildId, actor } = action;
  const isBot = actor.userId === deps.botUserId;
  const [guild, bot, person] = await Promise.all([
    deps.api.get<APIGuild>(Routes.guild(guildId), { signal }),
    findMember(deps, guildId, deps.botUserId, signal),
    isBot ? null : findMember(deps, guildId, actor.userId, signal),
  ]);
  const actingMember = isBot ? bot : person;
  return {
    guildId,
    ownerId: guild.owner_id,
    requiresTwoFactor: guild.mfa_level === GuildMFALevel.Elevated,
    roles: guild.roles,
    botRoleIds: bot?.roles ?? null,
    actorRoleIds: actingMember?.roles ?? null,
    actorUsername: actingMember?.user.username ?? null,
  };
}

/** The member from Discord at this moment, or null. */
export async function findMember(
  { api }: Pick<PerformerDeps, 'api'>,
  guildId: string,
  userId: string,
  signal: AbortSignal,
): Promise<APIGuildMember | null> {
  return api.get<APIGuildMember>(Routes.guildMember(guildId, userId), { signal }).catch((error: unknown) => {
    const isAbsent =
      error instanceof DiscordFailure &&
      (error.code === Code.UnknownMember || error.code === Code.UnknownUser);
    if (isAbsent) return null;
    throw error;
  });
}

/** Why the action may not affect the user, in the order of decisions: Errors. Null if it may. */
export function refusalOf(
  { botUserId }: PerformerDeps,
  hierarchy: Hierarchy,
  action: Pick<Acting, 'actor'>,
  user: { readonly userId: string; readonly roleIds: readonly string[] | null },
  permission: DiscordPermission,
): ActionError | null {
  const reason = targetRefusal({
    guildOwnerId: hierarchy.ownerId,
    botId: botUserId,
    actorId: action.actor.userId,
    targetId: user.userId,
    actorTopRole: topRole(hierarchy, hierarchy.actorRoleIds),
    botTopRole: topRole(hierarchy, hierarchy.botRoleIds),
    targetTopRole: topRole(hierarchy, user.roleIds),
    botHasPermission:
      (permissionsOf(hierarchy, hierarchy.botRoleIds) & DISCORD_PERMISSIONS[permission]) !== 0n,
  });
  if (reason === 'BOT_MISSING_PERMISSION') return missingPermissions([permission]);
  return reason === null ? null : forbidden(reason);
}

/** Where the bot lacks permissions: a channel, whose name may be unknown, or null for the guild as a whole. */
type Place = { readonly id: string; readonly name: string | null } | null;

/** The error if the bot lacks Discord permissions. Its message says which to grant, and where. */
export function missingPermissions(
  permissions: readonly DiscordPermission[],
  channel: Place = null,
): ActionError<'FORBIDDEN'> {
  const names = permissions.map(permissionTitle);
  const what = `the permission${names.length === 1 ? '' : 's'} ${names.join(', ')}`;
  const where = channel === null ? '' : channel.name === null ? ' in the channel' : ` in #${channel.name}`;
  return {
    ...forbidden('BOT_MISSING_PERMISSION'),
    message: `Give the bot's role ${what}${where}.`,
    details: {
      reason: 'BOT_MISSING_PERMISSION',
      permissions: names,
      ...(channel === null ? {} : { channel_id: channel.id }),
      ...(channel === null || channel.name === null ? {} : { channel_name: channel.name }),
    },
  };
}

/** Permissions that count only with two-factor authentication where a guild requires it. Timeouts are not among them. */
const WITH_TWO_FACTOR: readonly DiscordPermission[] = ['BanMembers', 'KickMembers'];

/**
 * Whether Discord will probably refuse what needs this permission, because the guild requires two-factor authentication
 * and the bot's account, which is said to have its owner's, has none. Only Discord's answer is certain.
 *
 * @throws DiscordFailure
 */
export async function lacksTwoFactor(
  { api }: Pick<PerformerDeps, 'api'>,
  { requiresTwoFactor }: Hierarchy,
  permission: DiscordPermission,
  signal: AbortSignal,
): Promise<boolean> {
  if (!requiresTwoFactor || !WITH_TWO_FACTOR.includes(permission)) return false;
  const { mfa_enabled } = await api.get<APIUser>(Routes.user(), { signal });
  return mfa_enabled === false;
}

/** The hierarchy as the bot itself stands in it, from the mirror or, if that is not fresh, from Discord. */
export async function readBotHierarchy(
  deps: Pick<PerformerDeps, 'db' | 'api' | 'botUserId'>,
  guildId: string,
  signal: AbortSignal,
): Promise<Hierarchy> {
  const asBot = { guildId, actor: { userId: deps.botUserId } };
  const mirrored = await mirroredHierarchy(deps.db.pool, guildId, deps.botUserId);
  return hierarchyInMirror(deps, guildId, mirrored) ?? hierarchyAtDiscord(deps, asBot, signal);
}

function rolesOf(hierarchy: Hierarchy, roleIds: readonly string[]): GuildRole[] {
  return hierarchy.roles.filter(({ id }) => id === hierarchy.guildId || roleIds.includes(id));
}

/** The highest of these roles; null for who is not a member. */
export function topRole(hierarchy: Hierarchy, roleIds: readonly string[] | null): RolePlace | null {
  if (roleIds === null) return null;
  return rolesOf(hierarchy, roleIds).reduce<RolePlace>((top, role) => (isAbove(role, top) ? role : top), {
    id: hierarchy.guildId,
    position: 0,
  });
}

export function permissionsOf(hierarchy: Hierarchy, roleIds: readonly string[] | null): bigint {
  if (roleIds === null) return 0n;
  const bits = rolesOf(hierarchy, roleIds).reduce((all, { permissions }) => all | BigInt(permissions), 0n);
  return (bits & DISCORD_PERMISSIONS.Administrator) === 0n ? bits : ~0n;
}

const usernameOfMember = sql.statement({
  parameters: [sql.text, sql.text],
  columns: { username: sql.text },
  text: 'SELECT username FROM members WHERE guild_id = $1 AND user_id = $2',
});

/** The name for the guild's audit log: the token's name, or the person's name from the mirror. */
export async function actorName({ db }: PerformerDeps, { actor, guildId }: ActionRecord): Promise<string> {
  if (actor.tokenName !== null) return actor.tokenName;
  const member = await usernameOfMember.first(db.pool, [guildId, actor.userId]);
  return member?.username ?? actor.userId;
}
