import { AuditLogEvent, GatewayIntentBits } from 'discord-api-types/v10';
import type { Actor, AuditChange, Guild, Member, User } from '#src/model.ts';
import { memberPayload, userPayload } from '#src/payloads.ts';
import { snowflakeTime, wireTime } from '#src/snowflake.ts';
import type { World } from '#src/world.ts';
import { revealingChannels } from './channels.ts';
import { announceGuild } from './guilds.ts';
import { removeMessages } from './messages.ts';

export function joinGuild(
  world: World,
  guild: Guild,
  user: User,
  roleIds: string[] = [],
  pending = false,
): Member {
  const member: Member = {
    user,
    nick: null,
    roleIds,
    joinedAt: wireTime(),
    timeoutUntil: guild.timeoutsOfGone.get(user.id) ?? null,
    pending,
  };
  guild.members.set(user.id, member);
  guild.timeoutsOfGone.delete(user.id);
  if (user.id === world.bot.id) {
    announceGuild(world, guild);
  } else {
    world.dispatch(
      'GUILD_MEMBER_ADD',
      { ...memberPayload(member), guild_id: guild.id },
      guild.id,
      GatewayIntentBits.GuildMembers,
    );
  }
  return member;
}

/** Removes a member from the guild. If it is the bot itself, it gets GUILD_DELETE without `unavailable`. */
export function leaveGuild(world: World, guild: Guild, user: User): void {
  const timeoutUntil = guild.members.get(user.id)?.timeoutUntil ?? null;
  if (timeoutUntil !== null) guild.timeoutsOfGone.set(user.id, timeoutUntil);
  guild.members.delete(user.id);
  if (user.id === world.bot.id) {
    world.dispatch('GUILD_DELETE', { id: guild.id }, guild.id);
    return;
  }
  world.dispatch(
    'GUILD_MEMBER_REMOVE',
    { guild_id: guild.id, user: userPayload(user) },
    guild.id,
    GatewayIntentBits.GuildMembers,
  );
}

export function kickMember(world: World, guild: Guild, member: Member, actor: Actor): void {
  leaveGuild(world, guild, member.user);
  world.audit(guild, actor, { action_type: AuditLogEvent.MemberKick, target_id: member.user.id });
}

/** Bans a user, member or not. A second ban of the same user changes nothing, as on Discord. */
export function banUser(
  world: World,
  guild: Guild,
  user: User,
  actor: Actor,
  deleteMessageSeconds = 0,
): void {
  if (guild.bans.has(user.id)) return;
  guild.bans.set(user.id, { user, reason: actor.reason, bannedBy: actor.id });
  world.dispatch(
    'GUILD_BAN_ADD',
    { guild_id: guild.id, user: userPayload(user) },
    guild.id,
    GatewayIntentBits.GuildModeration,
  );
  if (guild.members.has(user.id)) leaveGuild(world, guild, user);
  world.audit(guild, actor, { action_type: AuditLogEvent.MemberBanAdd, target_id: user.id });
  if (deleteMessageSeconds > 0) deleteRecent(world, guild, user, deleteMessageSeconds);
}

function deleteRecent(world: World, guild: Guild, user: User, seconds: number): void {
  const oldestMs = Date.now() - seconds * 1000;
  for (const channel of guild.channels.values()) {
    const ids = [...channel.messages.values()]
      .filter((message) => message.author.id === user.id && snowflakeTime(message.id) >= oldestMs)
      .map((message) => message.id);
    removeMessages(world, channel, ids);
  }
}

export function unbanUser(world: World, guild: Guild, user: User, actor: Actor): void {
  guild.bans.delete(user.id);
  world.dispatch(
    'GUILD_BAN_REMOVE',
    { guild_id: guild.id, user: userPayload(user) },
    guild.id,
    GatewayIntentBits.GuildModeration,
  );
  world.audit(guild, actor, { action_type: AuditLogEvent.MemberBanRemove, target_id: user.id });
}

export interface MemberChange {
  nick?: string | null;
  timeoutUntil?: string | null;
  roleIds?: readonly string[];
  pending?: boolean;
}

/** Changes a member, writes one audit entry for fields and one for roles, and tells the gateway once. */
export function updateMember(
  world: World,
  guild: Guild,
  member: Member,
  change: MemberChange,
  actor: Actor,
): void {
  const before = { nick: member.nick, timeoutUntil: member.timeoutUntil, roleIds: member.roleIds };
  if (change.nick !== undefined) member.nick = change.nick === '' ? null : change.nick;
  if (change.timeoutUntil !== undefined) member.timeoutUntil = change.timeoutUntil;
  if (change.pending !== undefined) member.pending = change.pending;
  revealingChannels(world, guild, () => {
    if (change.roleIds !== undefined) member.roleIds = [...new Set(change.roleIds)];
    announceMember(world, guild, member);
  });

  const fields: AuditChange[] = [];
  if (member.nick !== before.nick) {
    fields.push({ key: 'nick', old_value: before.nick ?? undefined, new_value: member.nick ?? undefined });
  }
  if (member.timeoutUntil !== before.timeoutUntil) {
    fields.push({
      key: 'communication_disabled_until',
      old_value: before.timeoutUntil ?? undefined,
      new_value: member.timeoutUntil ?? undefined,
    });
  }
  if (fields.length > 0) {
    world.audit(guild, actor, {
      action_type: AuditLogEvent.MemberUpdate,
      target_id: member.user.id,
      changes: fields,
    });
  }
  const named = (ids: readonly string[]) => ids.map((id) => ({ id, name: guild.roles.get(id)?.name ?? id }));
  const added = member.roleIds.filter((id) => !before.roleIds.includes(id));
  const removed = before.roleIds.filter((id) => !member.roleIds.includes(id));
  if (added.length + removed.length > 0) {
    world.audit(guild, actor, {
      action_type: AuditLogEvent.MemberRoleUpdate,
      target_id: member.user.id,
      changes: [
        ...(added.length > 0 ? [{ key: '$add', new_value: named(added) }] : []),
        ...(removed.length > 0 ? [{ key: '$remove', new_value: named(removed) }] : []),
      ],
    });
  }
}

function announceMember(world: World, guild: Guild, member: Member): void {
  // Discord tells the bot about changes to itself even without the members intent.
  const intents = member.user.id === world.bot.id ? [] : [GatewayIntentBits.GuildMembers];
  world.dispatch(
    'GUILD_MEMBER_UPDATE',
    { ...memberPayload(member), guild_id: guild.id },
    guild.id,
    ...intents,
  );
}
