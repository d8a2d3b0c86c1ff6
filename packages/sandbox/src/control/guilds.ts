import { setAvailable, updateGuild } from '#src/actions/guilds.ts';
import { joinGuild, leaveGuild } from '#src/actions/members.ts';
import { createRole, deleteRole, moveRole, type RoleChange, updateRole } from '#src/actions/roles.ts';
import { ControlError } from '#src/errors.ts';
import type { Fields } from '#src/fields.ts';
import type { Gateway } from '#src/gateway/gateway.ts';
import type { Refusal } from '#src/gateway/options.ts';
import type { World } from '#src/world.ts';
import {
  actorOf,
  channelNamed,
  controlFields,
  guildOf,
  memberOf,
  readPermissions,
  roleOf,
  userOf,
} from './resolve.ts';

/** The body of `POST /sandbox/roles`. `permissions` is Discord's number as a string, or names like `BanMembers`. */
export interface RoleRequest {
  action: 'create' | 'update' | 'delete';
  role?: string;
  name?: string;
  permissions?: string | string[];
  position?: number;
  guild_id?: string;
  by?: string;
  reason?: string;
}

/** The body of `POST /sandbox/guilds`: change it, hand it over, remove the bot from it or add it again. */
export interface GuildRequest {
  action: 'update' | 'remove_bot' | 'add_bot';
  name?: string;
  owner?: string;
  /** Whether moderators need two-factor authentication. */
  two_factor?: boolean;
  /** The channels that a Community needs; none: it is no Community. */
  community?: string[];
  verification_level?: number;
  guild_id?: string;
  by?: string;
}

/**
 * The body of `POST /sandbox/gateway`. `drop` cuts the sockets (`code`: with that close code), `frame` sends any text, `resume` asks clients to
 * reconnect, `invalidate` ends the sessions (`resumable`: keeps them), `hold` keeps events back (READY too) until `release`,
 * `shuffle` too, and then sends the events of one guild after those of another, `refuse` and
 * `accept` new connections (`refusal`: with an answer of 503, or by a `reset`), `unavailable` and `available` an outage of one guild,
 * `new_day` begins the day in which Discord counts sessions.
 */
export interface GatewayRequest {
  action:
    | 'drop'
    | 'freeze'
    | 'resume'
    | 'invalidate'
    | 'hold'
    | 'shuffle'
    | 'release'
    | 'refuse'
    | 'accept'
    | 'unavailable'
    | 'available'
    | 'new_day'
    | 'dispatch'
    | 'frame';
  /** With `dispatch`: an event with any data, such as Discord never documented. */
  event?: string;
  data?: object;
  /** With `frame`: what every connection is sent, whatever it is. */
  frame?: string;
  code?: number;
  resumable?: boolean;
  refusal?: Refusal;
  guild_id?: string;
}

export function controlRoles(world: World, body: unknown) {
  const fields = controlFields(body, [
    'action',
    'role',
    'name',
    'permissions',
    'position',
    'guild_id',
    'by',
    'reason',
  ]);
  const action = fields.requiredChoice('action', ['create', 'update', 'delete']);
  const guild = guildOf(world, fields);
  const actor = actorOf(world, guild, fields);
  const change = readRole(fields);
  if (action === 'delete') {
    const role = roleOf(guild, fields, 'role');
    if (role.id === guild.id) throw new ControlError(409, '@everyone cannot be deleted.');
    deleteRole(world, guild, role, actor);
    return { deleted: role.id };
  }
  const role = action === 'create' ? createRole(world, guild, change, actor) : roleOf(guild, fields, 'role');
  if (action === 'update') updateRole(world, guild, role, change, actor);
  const position = fields.integer('position', { min: 1 });
  if (typeof position === 'number') moveRole(world, guild, role, position);
  return { role: { ...role } };
}

function readRole(fields: Fields): RoleChange {
  const name = fields.string('name', { min: 1, max: 100 });
  const permissions = fields.values.permissions;
  return {
    ...(typeof name === 'string' ? { name } : {}),
    ...(permissions === undefined ? {} : { permissions: readPermissions(permissions, 'permissions') }),
  };
}

export function controlGuilds(world: World, body: unknown) {
  const fields = controlFields(body, [
    'action',
    'name',
    'owner',
    'two_factor',
    'community',
    'verification_level',
    'guild_id',
    'by',
  ]);
  const action = fields.requiredChoice('action', ['update', 'remove_bot', 'add_bot']);
  const guild = guildOf(world, fields);
  const hasBot = guild.members.has(world.bot.id);
  if (action === 'remove_bot') {
    if (!hasBot) throw new ControlError(409, `The bot is not in ${guild.name}.`);
    leaveGuild(world, guild, world.bot);
  } else if (action === 'add_bot') {
    if (hasBot) throw new ControlError(409, `The bot is in ${guild.name} already.`);
    const role = [...guild.roles.values()].find((each) => each.tags?.bot_id === world.bot.id);
    joinGuild(world, guild, world.bot, role ? [role.id] : []);
  } else {
    const name = fields.string('name', { min: 2, max: 100 });
    const owner = fields.has('owner') ? memberOf(guild, userOf(world, fields, 'owner')) : null;
    const change = {
      ...(typeof name === 'string' ? { name } : {}),
      ...(owner ? { ownerId: owner.user.id } : {}),
    };
    guild.requiresTwoFactor = fields.boolean('two_factor') ?? guild.requiresTwoFactor;
    guild.verificationLevel =
      fields.integer('verification_level', { min: 0, max: 4 }) ?? guild.verificationLevel;
    const required = fields.strings('community');
    if (required) {
      guild.communityChannelIds.clear();
      for (const name of required) {
        guild.communityChannelIds.add(channelNamed(world, guild, name, 'community').id);
      }
    }
    updateGuild(world, guild, change, actorOf(world, guild, fields));
  }
  return {
    guild: { id: guild.id, name: guild.name, owner_id: guild.ownerId },
    bot_is_member: guild.members.has(world.bot.id),
  };
}

export function controlGateway(world: World, gateway: Gateway, body: unknown) {
  const fields = controlFields(body, [
    'action',
    'code',
    'frame',
    'resumable',
    'refusal',
    'event',
    'data',
    'guild_id',
  ]);
  const action = fields.requiredChoice('action', [
    'drop',
    'freeze',
    'resume',
    'invalidate',
    'hold',
    'shuffle',
    'release',
    'refuse',
    'accept',
    'unavailable',
    'available',
    'new_day',
    'dispatch',
    'frame',
  ]);
  const affected = act();
  return { action, ...(affected === undefined ? {} : { connections: affected }), gateway: gateway.state() };

  function act(): number | undefined {
    switch (action) {
      case 'drop':
        return gateway.drop(fields.integer('code', { min: 1000, max: 4999 }) ?? undefined);
      case 'frame':
        return gateway.sendFrame(fields.requiredString('frame'));
      case 'freeze':
        return gateway.freeze();
      case 'resume':
        return gateway.reconnect();
      case 'invalidate':
        return gateway.invalidate(fields.boolean('resumable') ?? false);
      case 'hold':
        gateway.hold();
        return undefined;
      case 'shuffle':
        gateway.shuffle();
        return undefined;
      case 'release':
        gateway.release();
        return undefined;
      case 'refuse':
        gateway.refuse(fields.choice('refusal', ['answer', 'reset'] as const) ?? 'answer');
        return undefined;
      case 'accept':
        gateway.refuse(null);
        return undefined;
      case 'unavailable':
      case 'available':
        setAvailable(world, guildOf(world, fields), action === 'available');
        return undefined;
      case 'new_day':
        gateway.beginDay();
        return undefined;
      case 'dispatch':
        world.dispatch(
          fields.requiredString('event'),
          fields.object('data') ?? {},
          guildOf(world, fields).id,
        );
        return undefined;
    }
  }
}
