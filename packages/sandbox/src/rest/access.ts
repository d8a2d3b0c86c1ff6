import { ChannelType, RESTJSONErrorCodes as Code, PermissionFlagsBits } from 'discord-api-types/v10';
import { refusal } from '#src/errors.ts';
import type { Channel, Guild, Member, Message, Role } from '#src/model.ts';
import { channelPermissions, guildPermissions, outranks, outranksRole } from '#src/permissions.ts';
import type { World } from '#src/world.ts';

/** The permissions that a guild with required two-factor authentication withholds from those who have none. */
const WITH_TWO_FACTOR =
  PermissionFlagsBits.KickMembers |
  PermissionFlagsBits.BanMembers |
  PermissionFlagsBits.ManageChannels |
  PermissionFlagsBits.ManageGuild |
  PermissionFlagsBits.ManageMessages |
  PermissionFlagsBits.ManageRoles |
  PermissionFlagsBits.ManageThreads;

/** Throws 50013 unless the bot holds the permission in the guild, and 60003 if its owner needs a second factor. */
export function requireGuild(world: World, guild: Guild, permission: bigint): Member {
  const bot = world.botMember(guild);
  if ((guildPermissions(guild, bot) & permission) === 0n) throw refusal(Code.MissingPermissions);
  requireTwoFactor(world, guild, permission);
  return bot;
}

function requireTwoFactor(world: World, guild: Guild, permission: bigint): void {
  if (guild.requiresTwoFactor && !world.ownerHasTwoFactor && (permission & WITH_TWO_FACTOR) !== 0n) {
    throw refusal(Code.TwoFactorAuthenticationIsRequired);
  }
}

/** Throws 50013 when the target is the owner or ranks as high as the bot or higher. */
export function requireOutranks(guild: Guild, bot: Member, target: Member): void {
  if (!outranks(guild, bot, target)) throw refusal(Code.MissingPermissions);
}

export function requireRoleBelow(guild: Guild, bot: Member, role: Role): void {
  if (!outranksRole(guild, bot, role)) throw refusal(Code.MissingPermissions);
}

/** Channels that hold no messages themselves. */
const NO_MESSAGES: readonly ChannelType[] = [
  ChannelType.GuildCategory,
  ChannelType.GuildForum,
  ChannelType.GuildMedia,
];

/** The channel, if the bot can see it. Throws 10003 if it does not exist, 50001 if the bot cannot see it. */
export function visibleChannel(world: World, id: string): Channel {
  const channel = world.findChannel(id);
  if (!channel) throw refusal(Code.UnknownChannel);
  const guild = world.guildOfChannel(channel);
  if (guild && !guild.members.has(world.bot.id)) throw refusal(Code.UnknownChannel);
  if (!world.botSees(channel)) throw refusal(Code.MissingAccess);
  return channel;
}

export function mayInChannel(world: World, channel: Channel, permission: bigint): boolean {
  const guild = world.guildOfChannel(channel);
  if (!guild) return (permission & PermissionFlagsBits.ManageMessages) === 0n;
  return (channelPermissions(guild, channel, world.botMember(guild)) & permission) !== 0n;
}

/** Throws 50013 unless the bot holds one of the permissions in the channel, and 60003 as `requireGuild`. */
export function requireInChannel(world: World, channel: Channel, ...anyOf: bigint[]): void {
  const held = anyOf.filter((permission) => mayInChannel(world, channel, permission));
  const [permission] = held;
  if (permission === undefined) throw refusal(Code.MissingPermissions);
  const guild = world.guildOfChannel(channel);
  if (guild) requireTwoFactor(world, guild, permission);
}

/** The channel, if the bot can read messages in it. Throws as `visibleChannel`; 50001 in a voice channel without Connect. */
export function readableChannel(world: World, id: string): Channel {
  const channel = visibleChannel(world, id);
  const isVoice = channel.type === ChannelType.GuildVoice || channel.type === ChannelType.GuildStageVoice;
  if (isVoice && !mayInChannel(world, channel, PermissionFlagsBits.Connect))
    throw refusal(Code.MissingAccess);
  if (NO_MESSAGES.includes(channel.type)) throw refusal(Code.CannotExecuteActionOnThisChannelType);
  return channel;
}

/** Throws 50083 for an archived thread, whose messages can be deleted and not changed. */
export function requireNotArchived({ thread }: Channel): void {
  if (thread?.archived) throw refusal(Code.InvalidActionOnArchivedThread);
}

export function guildChannel(world: World, id: string): { guild: Guild; channel: Channel } {
  const channel = visibleChannel(world, id);
  const guild = world.guildOfChannel(channel);
  if (!guild) throw refusal(Code.CannotExecuteActionOnThisChannelType);
  return { guild, channel };
}

export function messageOf(channel: Channel, id: string): Message {
  const message = channel.messages.get(id);
  if (!message) throw refusal(Code.UnknownMessage);
  return message;
}
