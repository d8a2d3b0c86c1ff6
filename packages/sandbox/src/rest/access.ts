import { RESTJSONErrorCodes as Code, PermissionFlagsBits } from 'discord-api-types/v10';
import { refusal } from '#src/errors.ts';
import type { Channel, Guild, Member, Message, Role } from '#src/model.ts';
import { channelPermissions, guildPermissions, outranks, outranksRole } from '#src/permissions.ts';
import type { World } from '#src/world.ts';

/** Throws 50013 unless the bot holds the permission in the guild. */
export function requireGuild(world: World, guild: Guild, permission: bigint): Member {
  const bot = world.botMember(guild);
  if ((guildPermissions(guild, bot) & permission) === 0n) throw refusal(Code.MissingPermissions);
  return bot;
}

/** Throws 50013 when the target is the owner or ranks as high as the bot or higher. */
export function requireOutranks(guild: Guild, bot: Member, target: Member): void {
  if (!outranks(guild, bot, target)) throw refusal(Code.MissingPermissions);
}

export function requireRoleBelow(guild: Guild, bot: Member, role: Role): void {
  if (!outranksRole(guild, bot, role)) throw refusal(Code.MissingPermissions);
}

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

/** Throws 50013 unless the bot holds one of the permissions in the channel. */
export function requireInChannel(world: World, channel: Channel, ...anyOf: bigint[]): void {
  if (!anyOf.some((permission) => mayInChannel(world, channel, permission))) {
    throw refusal(Code.MissingPermissions);
  }
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
