import { ChannelType, OverwriteType, PermissionFlagsBits } from 'discord-api-types/v10';
import type { Channel, Guild, Member, Role } from './model.ts';
import { compareIds } from './snowflake.ts';

const ALL_PERMISSIONS = Object.values(PermissionFlagsBits).reduce((all, bit) => all | bit, 0n);
const WHILE_TIMED_OUT = PermissionFlagsBits.ViewChannel | PermissionFlagsBits.ReadMessageHistory;

export type PermissionName = keyof typeof PermissionFlagsBits;

export function isPermissionName(name: string): name is PermissionName {
  return Object.hasOwn(PermissionFlagsBits, name);
}

export function isTimedOut(member: Member, nowMs = Date.now()): boolean {
  return member.timeoutUntil !== null && Date.parse(member.timeoutUntil) > nowMs;
}

function rolesOf(guild: Guild, member: Member): Role[] {
  return member.roleIds.flatMap((id) => guild.roles.get(id) ?? []);
}

/** A member's permissions in the guild as a whole, before channel overwrites. */
export function guildPermissions(guild: Guild, member: Member): bigint {
  if (member.user.id === guild.ownerId) return ALL_PERMISSIONS;
  const everyone = BigInt(guild.roles.get(guild.id)?.permissions ?? '0');
  const own = rolesOf(guild, member).reduce((bits, role) => bits | BigInt(role.permissions), everyone);
  if (own & PermissionFlagsBits.Administrator) return ALL_PERMISSIONS;
  return isTimedOut(member) ? own & WHILE_TIMED_OUT : own;
}

/** What one can do with messages; in the text of a voice channel only who may connect to it. */
const WITH_MESSAGES =
  PermissionFlagsBits.ReadMessageHistory |
  PermissionFlagsBits.SendMessages |
  PermissionFlagsBits.ManageMessages |
  PermissionFlagsBits.PinMessages;
/** What nobody can do who may not send messages. */
const WITH_SENDING =
  PermissionFlagsBits.EmbedLinks |
  PermissionFlagsBits.AttachFiles |
  PermissionFlagsBits.MentionEveryone |
  PermissionFlagsBits.SendTTSMessages;
const VOICE: readonly ChannelType[] = [ChannelType.GuildVoice, ChannelType.GuildStageVoice];

/**
 * A member's permissions in a channel, without those that Discord denies implicitly. A thread has those of its channel;
 * a private one is seen by who joined it and by who may manage threads.
 */
export function channelPermissions(guild: Guild, channel: Channel, member: Member): bigint {
  const { thread } = channel;
  if (thread === null) return explicit(guild, channel, member);
  const parent = guild.channels.get(channel.parentId ?? '');
  const bits = parent === undefined ? 0n : explicit(guild, parent, member);
  const isOpen = channel.type !== ChannelType.PrivateThread || thread.memberIds.has(member.user.id);
  if (!isOpen && (bits & PermissionFlagsBits.ManageThreads) === 0n) return 0n;
  const maySend = (bits & PermissionFlagsBits.SendMessagesInThreads) !== 0n;
  const others = bits & ~PermissionFlagsBits.SendMessages;
  return maySend ? others | PermissionFlagsBits.SendMessages : others & ~WITH_SENDING;
}

function explicit(guild: Guild, channel: Channel, member: Member): bigint {
  const bits = overwritten(guild, channel, member);
  if (bits === ALL_PERMISSIONS) return bits;
  if ((bits & PermissionFlagsBits.ViewChannel) === 0n) return 0n;
  const isOut = VOICE.includes(channel.type) && (bits & PermissionFlagsBits.Connect) === 0n;
  const inside = isOut ? bits & ~WITH_MESSAGES : bits;
  return (inside & PermissionFlagsBits.SendMessages) === 0n ? inside & ~WITH_SENDING : inside;
}

/** @everyone's overwrite, then those of the roles together, then the member's. */
function overwritten(guild: Guild, channel: Channel, member: Member): bigint {
  let bits = guildPermissions(guild, member);
  if (bits === ALL_PERMISSIONS) return bits;
  const apply = (allow: bigint, deny: bigint) => {
    bits = (bits & ~deny) | allow;
  };
  const everyone = channel.overwrites.find((overwrite) => overwrite.id === guild.id);
  if (everyone) apply(BigInt(everyone.allow), BigInt(everyone.deny));
  const ofRoles = channel.overwrites.filter(
    (overwrite) => overwrite.type === OverwriteType.Role && member.roleIds.includes(overwrite.id),
  );
  apply(
    ofRoles.reduce((allow, overwrite) => allow | BigInt(overwrite.allow), 0n),
    ofRoles.reduce((deny, overwrite) => deny | BigInt(overwrite.deny), 0n),
  );
  const own = channel.overwrites.find((overwrite) => overwrite.id === member.user.id);
  if (own) apply(BigInt(own.allow), BigInt(own.deny));
  return isTimedOut(member) ? bits & WHILE_TIMED_OUT : bits;
}

function highestRole(guild: Guild, member: Member): Role | undefined {
  return rolesOf(guild, member).toSorted(byRank).at(-1);
}

/** Compares roles, lowest first. At the same position the older role ranks higher. */
export function byRank(a: Role, b: Role): number {
  return a.position - b.position || compareIds(b.id, a.id);
}

/** Whether the member may manage the role: the owner always, others only roles below their highest. */
export function outranksRole(guild: Guild, member: Member, role: Role): boolean {
  if (member.user.id === guild.ownerId) return true;
  const own = highestRole(guild, member);
  return own !== undefined && byRank(own, role) > 0;
}

/** Whether the actor ranks above the target. Nobody ranks above the owner. */
export function outranks(guild: Guild, actor: Member, target: Member): boolean {
  if (target.user.id === guild.ownerId) return false;
  if (actor.user.id === guild.ownerId) return true;
  const theirs = highestRole(guild, target);
  return theirs === undefined ? highestRole(guild, actor) !== undefined : outranksRole(guild, actor, theirs);
}
