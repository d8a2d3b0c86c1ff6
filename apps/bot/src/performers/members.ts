import { isAbove, type RolePlace, targetRefusal } from '@bailiff/core';
import { type Action, type ActionError, forbidden } from '@bailiff/engine';
import {
  type APIGuild,
  type APIGuildMember,
  type APIRole,
  RESTJSONErrorCodes as Code,
  PermissionFlagsBits,
  Routes,
} from 'discord.js';
import { DiscordFailure } from '../discord-api.ts';
import type { PerformerDeps } from './deps.ts';

/** A guild and the people of an action in it, as Discord says at this moment. */
export interface Scene {
  readonly guild: APIGuild;
  readonly bot: APIGuildMember | null;
  readonly actor: APIGuildMember | null;
  readonly target: APIGuildMember | null;
  readonly botPermissions: bigint;
}

/**
 * Reads from Discord itself, not from the mirror, what decides whether an action may touch its target.
 *
 * @throws DiscordFailure
 */
export async function readScene(
  { api, botUserId }: PerformerDeps,
  action: Action,
  targetId: string,
  signal: AbortSignal,
): Promise<Scene> {
  const member = (userId: string) =>
    memberOrNull(api.get(Routes.guildMember(action.guildId, userId), { signal }));
  const isSystem = action.actor.source === 'system';
  const [guild, bot, target, actor] = await Promise.all([
    api.get<APIGuild>(Routes.guild(action.guildId), { signal }),
    member(botUserId),
    member(targetId),
    isSystem ? null : member(action.actor.userId),
  ]);
  return { guild, bot, target, actor: isSystem ? bot : actor, botPermissions: permissionsOf(guild, bot) };
}

function memberOrNull(reading: Promise<unknown>): Promise<APIGuildMember | null> {
  return reading.then(
    (member) => member as APIGuildMember,
    (error: unknown) => {
      const isNobody =
        error instanceof DiscordFailure &&
        (error.code === Code.UnknownMember || error.code === Code.UnknownUser);
      if (isNobody) return null;
      throw error;
    },
  );
}

/** Why the action may not touch its target, in the order of decisions: Errors; null when it may. */
export function refusalOf(
  { guild, bot, actor, target, botPermissions }: Scene,
  action: Action,
  targetId: string,
  permission: bigint,
): ActionError | null {
  const reason = targetRefusal({
    guildOwnerId: guild.owner_id,
    botId: bot?.user.id ?? '',
    actorId: action.actor.userId,
    targetId,
    actorTopRole: topRole(guild, actor),
    botTopRole: topRole(guild, bot),
    targetTopRole: topRole(guild, target),
    botHasPermission: (botPermissions & permission) !== 0n,
  });
  return reason === null ? null : forbidden(reason);
}

function rolesOf(guild: APIGuild, member: APIGuildMember | null): APIRole[] {
  return guild.roles.filter(({ id }) => id === guild.id || member?.roles.includes(id));
}

function topRole(guild: APIGuild, member: APIGuildMember | null): RolePlace | null {
  if (member === null) return null;
  return rolesOf(guild, member).reduce((top, role) => (isAbove(role, top) ? role : top), {
    id: guild.id,
    position: 0,
  });
}

function permissionsOf(guild: APIGuild, member: APIGuildMember | null): bigint {
  if (member === null) return 0n;
  const bits = rolesOf(guild, member).reduce((all, { permissions }) => all | BigInt(permissions), 0n);
  return (bits & PermissionFlagsBits.Administrator) === 0n ? bits : ~0n;
}

/** Who is named in the guild's audit log: a token by its name, a person by theirs. */
export function actorName(action: Action, { actor }: Pick<Scene, 'actor'>): string {
  if (action.actor.tokenName !== null) return action.actor.tokenName;
  return actor?.user.username ?? action.actor.userId;
}
