import { PermissionFlagsBits as Permission } from 'discord-api-types/v10';
import {
  banUser,
  joinGuild,
  kickMember,
  leaveGuild,
  type MemberChange,
  unbanUser,
  updateMember,
} from '#src/actions/members.ts';
import { ControlError } from '#src/errors.ts';
import type { Fields } from '#src/fields.ts';
import type { Actor, Guild, Member, User } from '#src/model.ts';
import { memberPayload, userPayload } from '#src/payloads.ts';
import { guildPermissions, outranks } from '#src/permissions.ts';
import { snowflakeAt, wireTime } from '#src/snowflake.ts';
import type { World } from '#src/world.ts';
import { actorOf, controlFields, guildOf, memberOf, roleNamed, roleOf, userOf } from './resolve.ts';

/** The body of `POST /sandbox/members`. `user` and `by` are user ids or names of `people`. */
export interface MemberRequest {
  action:
    | 'join'
    | 'pass_screening'
    | 'leave'
    | 'kick'
    | 'add_role'
    | 'remove_role'
    | 'set_roles'
    | 'nick'
    | 'timeout'
    | 'lift_timeout'
    | 'open_dms'
    | 'close_dms';
  user?: string;
  /** With `join` and without `user`: makes a new person of this name. */
  name?: string;
  guild_id?: string;
  role?: string;
  roles?: string[];
  nick?: string | null;
  minutes?: number;
  /** With `join`: they have yet to pass the membership screening, and cannot write before. */
  pending?: boolean;
  by?: string;
  reason?: string;
}

/**
 * The body of `POST /sandbox/bans`: a person bans or unbans a user by hand. With `old` and a `count`, as many strangers
 * were banned so long ago that the audit log says nothing of it any more.
 */
export interface BanRequest {
  action?: 'ban' | 'unban' | 'old';
  user?: string;
  count?: number;
  by?: string;
  reason?: string;
  guild_id?: string;
  delete_message_seconds?: number;
}

const ACTIONS = [
  'join',
  'pass_screening',
  'leave',
  'kick',
  'add_role',
  'remove_role',
  'set_roles',
  'nick',
  'timeout',
  'lift_timeout',
  'open_dms',
  'close_dms',
] as const satisfies readonly MemberRequest['action'][];

export function controlMembers(world: World, body: unknown) {
  const fields = controlFields(body, [
    'action',
    'user',
    'name',
    'guild_id',
    'role',
    'roles',
    'nick',
    'minutes',
    'pending',
    'by',
    'reason',
  ]);
  const action = fields.requiredChoice('action', ACTIONS);
  const guild = guildOf(world, fields);
  if (action === 'join') return join(world, guild, fields);
  const user = userOf(world, fields, 'user');
  if (action === 'open_dms' || action === 'close_dms') {
    user.acceptsDms = action === 'open_dms';
    world.changed();
    return { user: userPayload(user), accepts_dms: user.acceptsDms };
  }
  const member = memberOf(guild, user);
  if (action === 'leave') {
    if (user.id === guild.ownerId)
      throw new ControlError(409, 'The owner cannot leave; hand the guild over first.');
    leaveGuild(world, guild, user);
    return { user: userPayload(user), left: guild.id };
  }
  const actor = actorOf(world, guild, fields);
  if (action === 'kick') {
    requireMayAct(world, guild, actor, user, Permission.KickMembers, 'kick');
    kickMember(world, guild, member, actor);
    return { user: userPayload(user), left: guild.id };
  }
  updateMember(world, guild, member, readChange(guild, member, action, fields), actor);
  return { member: memberPayload(member) };
}

type Change = Exclude<MemberRequest['action'], 'join' | 'leave' | 'kick' | 'open_dms' | 'close_dms'>;

function readChange(guild: Guild, member: Member, action: Change, fields: Fields): MemberChange {
  switch (action) {
    case 'add_role':
      return { roleIds: [...member.roleIds, roleOf(guild, fields, 'role').id] };
    case 'remove_role': {
      const role = roleOf(guild, fields, 'role');
      return { roleIds: member.roleIds.filter((id) => id !== role.id) };
    }
    case 'set_roles':
      return { roleIds: (fields.strings('roles') ?? []).map((name) => roleNamed(guild, name, 'roles').id) };
    case 'pass_screening':
      return { pending: false };
    case 'nick':
      return { nick: fields.string('nick', { max: 32 }) ?? null };
    case 'timeout': {
      const minutes = fields.integer('minutes', { min: 1, max: 40_320 }) ?? 10;
      return { timeoutUntil: wireTime(Date.now() + minutes * 60_000) };
    }
    case 'lift_timeout':
      return { timeoutUntil: null };
  }
}

function join(world: World, guild: Guild, fields: Fields) {
  const user = fields.has('user') ? userOf(world, fields, 'user') : makePerson(world, fields);
  if (guild.members.has(user.id))
    throw new ControlError(409, `${user.username} is a member of ${guild.name} already.`);
  if (guild.bans.has(user.id)) throw new ControlError(409, `${user.username} is banned from ${guild.name}.`);
  return { member: memberPayload(joinGuild(world, guild, user, [], fields.boolean('pending') ?? false)) };
}

function makePerson(world: World, fields: Fields): User {
  const name = fields.requiredString('name', { min: 1, max: 32 });
  const username = name.toLowerCase().replace(/[^a-z0-9_.]+/g, '.');
  const user: User = {
    id: world.ids.next(),
    username,
    globalName: name,
    bot: false,
    email: `${username}@people.example`,
    acceptsDms: true,
  };
  world.users.set(user.id, user);
  return user;
}

/** Discord's rules apply to people too: they need the permission, and a rank above the target. */
function requireMayAct(
  world: World,
  guild: Guild,
  actor: Actor,
  target: User,
  permission: bigint,
  verb: string,
): void {
  const acting = memberOf(guild, world.user(actor.id));
  if ((guildPermissions(guild, acting) & permission) === 0n) {
    throw new ControlError(403, `${acting.user.username} may not ${verb} members of ${guild.name}.`);
  }
  const member = guild.members.get(target.id);
  if (member && !outranks(guild, acting, member)) {
    throw new ControlError(
      403,
      `${target.username} does not rank below ${acting.user.username} in ${guild.name}.`,
    );
  }
}

export function controlBans(world: World, body: unknown) {
  const fields = controlFields(body, [
    'action',
    'user',
    'count',
    'by',
    'reason',
    'guild_id',
    'delete_message_seconds',
  ]);
  const action = fields.choice('action', ['ban', 'unban', 'old']) ?? 'ban';
  const guild = guildOf(world, fields);
  if (action === 'old') {
    const count = fields.integer('count', { min: 1, max: 20_000 }) ?? 1;
    return addOldBans(world, guild, count, fields.string('reason', { max: 512 }) ?? null);
  }
  const user = userOf(world, fields, 'user');
  const actor = actorOf(world, guild, fields);
  requireMayAct(world, guild, actor, user, Permission.BanMembers, action);
  if (action === 'unban') {
    if (!guild.bans.has(user.id))
      throw new ControlError(409, `${user.username} is not banned from ${guild.name}.`);
    unbanUser(world, guild, user, actor);
  } else {
    if (guild.bans.has(user.id))
      throw new ControlError(409, `${user.username} is banned from ${guild.name} already.`);
    banUser(
      world,
      guild,
      user,
      actor,
      fields.integer('delete_message_seconds', { min: 0, max: 604_800 }) ?? 0,
    );
  }
  return { user: userPayload(user), banned: guild.bans.has(user.id), guild_id: guild.id };
}

/** When the strangers of old bans made their accounts: before everybody else of the sandbox. */
const OLD_MS = Date.UTC(2016, 0, 1);

function addOldBans(world: World, guild: Guild, count: number, reason: string | null) {
  const first = guild.bans.size;
  for (let n = first; n < first + count; n += 1) {
    const id = snowflakeAt(OLD_MS + n * 1_000);
    const user = { id, username: `old.${n}`, globalName: null, bot: false, email: null, acceptsDms: false };
    world.users.set(id, user);
    guild.bans.set(id, { user, reason, bannedBy: guild.ownerId });
  }
  return { banned: guild.bans.size, guild_id: guild.id };
}
