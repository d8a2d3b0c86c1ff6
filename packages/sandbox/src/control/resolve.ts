import { PermissionFlagsBits } from 'discord-api-types/v10';
import { ControlError } from '#src/errors.ts';
import { Fields } from '#src/fields.ts';
import type { Actor, Channel, Guild, Member, Role, User } from '#src/model.ts';
import { isPermissionName } from '#src/permissions.ts';
import type { World } from '#src/world.ts';

/** The fields of a control request. A wrong or unknown field is a 400 that names it. */
export function controlFields(body: unknown, names: readonly string[]): Fields {
  const fields = new Fields(
    body,
    (field, _code, message) =>
      new ControlError(400, field === '_body' ? 'The body must be a JSON object.' : `${field}: ${message}`),
  );
  fields.only(names);
  return fields;
}

/** A user by id or by the name they have in `people`; `bot` is the bot. */
export function findUser(world: World, name: string): User | undefined {
  if (name === 'bot') return world.bot;
  return world.findUser(world.people[name] ?? name);
}

export function userOf(world: World, fields: Fields, field: string): User {
  const name = fields.requiredString(field);
  const user = findUser(world, name);
  if (!user) {
    const known = Object.keys(world.people).join(', ');
    throw new ControlError(404, `${field}: nobody is called ${name}. Give a user id, or one of: ${known}.`);
  }
  return user;
}

/** The guild of `guild_id`, by default the sample guild. */
export function guildOf(world: World, fields: Fields): Guild {
  const id = fields.string('guild_id');
  const [sample] = world.guilds.values();
  const guild = typeof id === 'string' ? world.guilds.get(id) : sample;
  if (!guild) {
    throw new ControlError(
      404,
      `guild_id: no guild has the id ${id}. There are ${[...world.guilds.keys()].join(', ')}.`,
    );
  }
  return guild;
}

export function memberOf(guild: Guild, user: User): Member {
  const member = guild.members.get(user.id);
  if (!member)
    throw new ControlError(409, `${user.username} is not a member of ${guild.name}; let them join first.`);
  return member;
}

/** A channel of the guild by id, by its name in `channels`, or by its own name. */
export function findChannel(world: World, guild: Guild, name: string): Channel | undefined {
  const byName = guild.channels.get(world.channelNames[name] ?? name);
  return byName ?? [...guild.channels.values()].find((channel) => channel.name === name.replace(/^#/, ''));
}

export function channelOf(
  world: World,
  guild: Guild,
  fields: Fields,
  field: string,
  fallback?: string,
): Channel {
  const name = fields.string(field) ?? fallback ?? fields.requiredString(field);
  return channelNamed(world, guild, name, field);
}

export function channelNamed(world: World, guild: Guild, name: string, field: string): Channel {
  const channel = findChannel(world, guild, name);
  if (!channel) {
    const known = [...guild.channels.values()].map((each) => each.name).join(', ');
    throw new ControlError(404, `${field}: ${guild.name} has no channel ${name}. It has: ${known}.`);
  }
  return channel;
}

/** Discord's number of permissions, given as such or as names. */
export function readPermissions(value: unknown, field: string): string {
  if (typeof value === 'string' && /^\d{1,20}$/.test(value)) return value;
  const names = Array.isArray(value) ? value.map(String) : [];
  const unknown = names.find((name) => !isPermissionName(name));
  if (!Array.isArray(value) || unknown !== undefined) {
    throw new ControlError(
      400,
      `${field}: ${unknown ?? JSON.stringify(value)} is not understood. Give a number as a string, or names like BanMembers.`,
    );
  }
  return names
    .filter(isPermissionName)
    .reduce((bits, name) => bits | PermissionFlagsBits[name], 0n)
    .toString();
}

export function roleOf(guild: Guild, fields: Fields, field: string): Role {
  return roleNamed(guild, fields.requiredString(field), field);
}

/** A role by id or by name. */
export function roleNamed(guild: Guild, name: string, field: string): Role {
  const role =
    guild.roles.get(name) ??
    [...guild.roles.values()].find((each) => each.name.toLowerCase() === name.toLowerCase());
  if (!role) {
    const known = [...guild.roles.values()].map((each) => each.name).join(', ');
    throw new ControlError(404, `${field}: ${guild.name} has no role ${name}. It has: ${known}.`);
  }
  return role;
}

/** The person of `by` with the `reason`; by default the guild's owner. */
export function actorOf(world: World, guild: Guild, fields: Fields): Actor {
  const by = fields.has('by') ? userOf(world, fields, 'by').id : guild.ownerId;
  return { id: by, reason: fields.string('reason', { max: 512 }) ?? null };
}
