import { type ApplicationCommandType, ApplicationCommandOptionType as Option } from 'discord-api-types/v10';
import { storeFile } from '#src/actions/files.ts';
import { ControlError } from '#src/errors.ts';
import { isObject, type JsonObject } from '#src/fields.ts';
import type { Channel, Command, Guild } from '#src/model.ts';
import { guildChannelPayload, partialMemberPayload, userPayload } from '#src/payloads.ts';
import { channelPermissions } from '#src/permissions.ts';
import type { World } from '#src/world.ts';
import { readFile } from './files.ts';
import { findChannel, findUser } from './resolve.ts';

/** The command of this name that people in the guild see. */
export function findCommand(
  world: World,
  guild: Guild | undefined,
  type: ApplicationCommandType,
  name: string,
): Command {
  const seen = [...world.commands.values()].filter(
    (command) => command.type === type && (command.guild_id === undefined || command.guild_id === guild?.id),
  );
  const found = seen.find((command) => command.name === name);
  if (!found) {
    const known = seen.map((command) => command.name).join(', ') || 'none';
    throw new ControlError(404, `command: the bot has registered no ${name} here; registered are: ${known}.`);
  }
  return found;
}

/** Discord's `resolved` for users of an interaction. */
export function resolveUsers(
  world: World,
  guild: Guild | undefined,
  channel: Channel,
  ids: readonly string[],
) {
  const users: JsonObject = {};
  const members: JsonObject = {};
  for (const id of ids) {
    users[id] = userPayload(world.user(id));
    const member = guild?.members.get(id);
    if (guild && member) {
      const permissions = channelPermissions(guild, channel, member).toString();
      members[id] = { ...partialMemberPayload(member), permissions };
    }
  }
  return { users, members };
}

interface Resolved {
  readonly users: Set<string>;
  readonly roles: JsonObject;
  readonly channels: JsonObject;
  readonly attachments: JsonObject;
}

interface Place {
  readonly world: World;
  readonly guild: Guild | undefined;
  readonly channel: Channel;
}

/** A command as a person typed it: the words after its name, and values by option name. */
export interface Typed {
  readonly path: readonly string[];
  readonly values: Readonly<Record<string, unknown>>;
  /** For autocomplete: the option being typed in. */
  readonly focused: string | null;
}

/** The `data` of a slash command or autocomplete, with subcommands, options and `resolved` as Discord sends them. */
export function commandData(place: Place, command: Command, typed: Typed): JsonObject {
  const resolved: Resolved = { users: new Set(), roles: {}, channels: {}, attachments: {} };
  const options = fill(place, command.options ?? [], typed.path, typed, resolved, command.name);
  const { users, members } = resolveUsers(place.world, place.guild, place.channel, [...resolved.users]);
  const { roles, channels, attachments } = resolved;
  const parts = { users, members, roles, channels, attachments };
  const present = Object.entries(parts).filter(([, part]) => Object.keys(part).length > 0);
  return {
    id: command.id,
    name: command.name,
    type: command.type,
    ...(command.guild_id === undefined ? {} : { guild_id: command.guild_id }),
    ...(options.length > 0 ? { options } : {}),
    ...(present.length > 0 ? { resolved: Object.fromEntries(present) } : {}),
  };
}

function isNesting(option: JsonObject): boolean {
  return option.type === Option.Subcommand || option.type === Option.SubcommandGroup;
}

function nested(option: JsonObject): JsonObject[] {
  return Array.isArray(option.options) ? option.options.filter(isObject) : [];
}

function fill(
  place: Place,
  options: readonly JsonObject[],
  path: readonly string[],
  typed: Typed,
  resolved: Resolved,
  where: string,
): JsonObject[] {
  const subcommands = options.filter(isNesting);
  if (subcommands.length > 0) {
    const [word, ...rest] = path;
    const chosen = subcommands.find((option) => option.name === word);
    if (!chosen) {
      const known = subcommands.map((option) => String(option.name)).join(', ');
      throw new ControlError(400, `command: /${where} needs one of: ${known}.`);
    }
    const inner = fill(place, nested(chosen), rest, typed, resolved, `${where} ${word}`);
    return [{ type: chosen.type, name: chosen.name, options: inner }];
  }
  if (path.length > 0) throw new ControlError(400, `command: /${where} has no subcommand ${path[0]}.`);
  const names = options.map((option) => String(option.name));
  const foreign = Object.keys(typed.values).find((name) => !names.includes(name));
  if (foreign !== undefined) {
    throw new ControlError(
      400,
      `options.${foreign}: /${where} has no such option; it has: ${names.join(', ')}.`,
    );
  }
  return options.flatMap((option) => {
    const name = String(option.name);
    const given = typed.values[name];
    const focused = typed.focused === name;
    if (given === undefined || given === null) {
      if (focused) return [{ type: option.type, name, value: '', focused: true }];
      if (option.required === true && typed.focused === null) {
        throw new ControlError(400, `options.${name}: /${where} needs this option.`);
      }
      return [];
    }
    // Discord checks the value only when the command is sent.
    const value = focused ? String(given) : readValue(place, option, name, given, resolved);
    return [{ type: option.type, name, value, ...(focused ? { focused: true } : {}) }];
  });
}

function readValue(
  place: Place,
  option: JsonObject,
  name: string,
  given: unknown,
  resolved: Resolved,
): unknown {
  const wrong = (what: string) => new ControlError(400, `options.${name}: ${String(given)} ${what}.`);
  const text = String(given);
  switch (option.type) {
    case Option.String:
      return checkChoice(option, checkLength(option, text, wrong), wrong);
    case Option.Integer:
    case Option.Number: {
      const number = Number(text);
      const whole = option.type === Option.Integer;
      if (text.trim() === '' || !Number.isFinite(number) || (whole && !Number.isSafeInteger(number))) {
        throw wrong(whole ? 'is not a whole number' : 'is not a number');
      }
      const { min_value: min, max_value: max } = option;
      if (typeof min === 'number' && number < min) throw wrong(`is below ${min}`);
      if (typeof max === 'number' && number > max) throw wrong(`is above ${max}`);
      return checkChoice(option, number, wrong);
    }
    case Option.Boolean:
      return given === true || text === 'true';
    case Option.User:
    case Option.Mentionable: {
      const user = findUser(place.world, text);
      if (!user) throw wrong('is nobody');
      resolved.users.add(user.id);
      return user.id;
    }
    case Option.Role: {
      const role = place.guild?.roles.get(text);
      if (!role) throw wrong('is no role of this guild');
      resolved.roles[role.id] = role;
      return role.id;
    }
    case Option.Channel: {
      const channel = place.guild ? findChannel(place.world, place.guild, text) : undefined;
      if (!channel) throw wrong('is no channel of this guild');
      resolved.channels[channel.id] = { ...guildChannelPayload(channel), permissions: '0' };
      return channel.id;
    }
    case Option.Attachment: {
      const folder = `/ephemeral-attachments/${place.channel.id}`;
      const attached = { ...storeFile(place.world, folder, readFile(given)), ephemeral: true };
      resolved.attachments[attached.id] = attached;
      return attached.id;
    }
    default:
      throw wrong('cannot be given here: the sandbox does not take this kind of option');
  }
}

function checkLength(option: JsonObject, text: string, wrong: (what: string) => Error): string {
  const { min_length: min, max_length: max } = option;
  if (typeof min === 'number' && text.length < min) throw wrong(`is shorter than ${min} characters`);
  if (text.length > (typeof max === 'number' ? max : 6000)) throw wrong('is too long');
  return text;
}

function checkChoice<Value>(option: JsonObject, value: Value, wrong: (what: string) => Error): Value {
  const choices = option.choices;
  if (!Array.isArray(choices) || choices.length === 0) return value;
  const values = choices.filter(isObject).map((choice) => choice.value);
  if (!values.includes(value)) throw wrong(`is not one of: ${values.join(', ')}`);
  return value;
}
