import { RESTJSONErrorCodes as Code, PermissionFlagsBits as Permission } from 'discord-api-types/v10';
import { createRole, deleteRole, moveRole, type RoleChange, updateRole } from '#src/actions/roles.ts';
import { invalidForm, refusal } from '#src/errors.ts';
import type { Guild, Member, Role } from '#src/model.ts';
import { byRank, guildPermissions } from '#src/permissions.ts';
import { requireGuild, requireRoleBelow } from './access.ts';
import { fieldsOf, optionalFieldsOf, route } from './route.ts';

function roleOf(guild: Guild, id: string): Role {
  const role = guild.roles.get(id);
  if (!role) throw refusal(Code.UnknownRole);
  return role;
}

function readRole(guild: Guild, bot: Member, body: unknown): RoleChange {
  const fields = optionalFieldsOf(body);
  const change: RoleChange = {};
  const name = fields.string('name', { max: 100 });
  const color = fields.integer('color', { min: 0, max: 0xffffff });
  const hoist = fields.boolean('hoist');
  const mentionable = fields.boolean('mentionable');
  const bits = fields.values.permissions;
  if (typeof name === 'string') change.name = name;
  if (typeof color === 'number') change.color = color;
  if (typeof hoist === 'boolean') change.hoist = hoist;
  if (typeof mentionable === 'boolean') change.mentionable = mentionable;
  if (bits !== undefined && bits !== null) {
    if (!/^\d{1,20}$/.test(String(bits))) {
      throw invalidForm('permissions', 'NUMBER_TYPE_COERCE', `Value "${String(bits)}" is not int.`);
    }
    // Nobody can give away what they do not hold.
    if ((BigInt(String(bits)) & ~guildPermissions(guild, bot)) !== 0n) throw refusal(Code.MissingPermissions);
    change.permissions = String(bits);
  }
  return change;
}

export const roleRoutes = [
  route('GET', '/guilds/{guild_id}/roles', ({ world, params }) =>
    [...world.guild(params.guild_id).roles.values()].map((role) => ({ ...role })),
  ),
  route('GET', '/guilds/{guild_id}/roles/{role_id}', ({ world, params }) => ({
    ...roleOf(world.guild(params.guild_id), params.role_id),
  })),
  route('GET', '/guilds/{guild_id}/roles/member-counts', ({ world, params }) => {
    const guild = world.guild(params.guild_id);
    const counts = [...guild.roles.keys()]
      .filter((id) => id !== guild.id)
      .map((id) => [id, [...guild.members.values()].filter((member) => member.roleIds.includes(id)).length]);
    return Object.fromEntries(counts);
  }),
  route('POST', '/guilds/{guild_id}/roles', ({ world, params, body, actor }) => {
    const guild = world.guild(params.guild_id);
    const bot = requireGuild(world, guild, Permission.ManageRoles);
    const change = readRole(guild, bot, body);
    return { ...createRole(world, guild, change, actor) };
  }),
  route('PATCH', '/guilds/{guild_id}/roles', ({ world, params, body }) => {
    const guild = world.guild(params.guild_id);
    const bot = requireGuild(world, guild, Permission.ManageRoles);
    const moves = fieldsOf({ roles: body }).objects('roles') ?? [];
    for (const move of moves) {
      const fields = fieldsOf(move);
      const role = roleOf(guild, fields.requiredString('id'));
      requireRoleBelow(guild, bot, role);
      const position = fields.integer('position', { min: 1 });
      if (typeof position === 'number') moveRole(world, guild, role, position);
    }
    return [...guild.roles.values()].toSorted(byRank).map((role) => ({ ...role }));
  }),
  route('PATCH', '/guilds/{guild_id}/roles/{role_id}', ({ world, params, body, actor }) => {
    const guild = world.guild(params.guild_id);
    const bot = requireGuild(world, guild, Permission.ManageRoles);
    const role = roleOf(guild, params.role_id);
    requireRoleBelow(guild, bot, role);
    updateRole(world, guild, role, readRole(guild, bot, body), actor);
    return { ...role };
  }),
  route('DELETE', '/guilds/{guild_id}/roles/{role_id}', ({ world, params, actor }) => {
    const guild = world.guild(params.guild_id);
    const bot = requireGuild(world, guild, Permission.ManageRoles);
    const role = roleOf(guild, params.role_id);
    requireRoleBelow(guild, bot, role);
    if (role.managed || role.id === guild.id) throw refusal(Code.MissingPermissions);
    deleteRole(world, guild, role, actor);
  }),
];
