import { AuditLogEvent, GatewayIntentBits, type RoleFlags } from 'discord-api-types/v10';
import type { Actor, Guild, Role } from '#src/model.ts';
import { byRank } from '#src/permissions.ts';
import type { World } from '#src/world.ts';
import { revealingChannels } from './channels.ts';

export interface RoleChange {
  name?: string;
  permissions?: string;
  color?: number;
  hoist?: boolean;
  mentionable?: boolean;
}

export function makeRole(id: string, position: number, change: RoleChange): Role {
  const color = change.color ?? 0;
  return {
    id,
    name: change.name ?? 'new role',
    permissions: change.permissions ?? '0',
    position,
    color,
    colors: { primary_color: color, secondary_color: null, tertiary_color: null },
    hoist: change.hoist ?? false,
    managed: false,
    mentionable: change.mentionable ?? false,
    icon: null,
    unicode_emoji: null,
    flags: 0 as RoleFlags,
  };
}

function announce(world: World, guild: Guild, event: string, role: Role): void {
  world.dispatch(event, { guild_id: guild.id, role: { ...role } }, guild.id, GatewayIntentBits.Guilds);
}

/** A new role starts right above @everyone. */
export function createRole(world: World, guild: Guild, change: RoleChange, actor: Actor): Role {
  const role = makeRole(world.ids.next(), 1, change);
  for (const other of guild.roles.values()) if (other.position >= 1) other.position += 1;
  guild.roles.set(role.id, role);
  announce(world, guild, 'GUILD_ROLE_CREATE', role);
  world.audit(guild, actor, {
    action_type: AuditLogEvent.RoleCreate,
    target_id: role.id,
    changes: [{ key: 'name', new_value: role.name }],
  });
  return role;
}

export function updateRole(world: World, guild: Guild, role: Role, change: RoleChange, actor: Actor): void {
  const before = { ...role };
  revealingChannels(world, guild, () => {
    Object.assign(role, change);
    if (change.color !== undefined) role.colors = { ...role.colors, primary_color: change.color };
    announce(world, guild, 'GUILD_ROLE_UPDATE', role);
  });
  const changes = (Object.keys(change) as (keyof RoleChange)[])
    .filter((key) => before[key] !== role[key])
    .map((key) => ({ key, old_value: before[key], new_value: role[key] }));
  world.audit(guild, actor, { action_type: AuditLogEvent.RoleUpdate, target_id: role.id, changes });
}

/** Moves a role to a position and renumbers the others. */
export function moveRole(world: World, guild: Guild, role: Role, position: number): void {
  const ladder = [...guild.roles.values()]
    .filter((other) => other.id !== guild.id && other.id !== role.id)
    .toSorted(byRank);
  ladder.splice(Math.max(0, position - 1), 0, role);
  ladder.forEach((other, index) => {
    if (other.position === index + 1) return;
    other.position = index + 1;
    announce(world, guild, 'GUILD_ROLE_UPDATE', other);
  });
}

/** Removes the role from the guild and from everyone who has it; Discord announces only the role. */
export function deleteRole(world: World, guild: Guild, role: Role, actor: Actor): void {
  guild.roles.delete(role.id);
  for (const member of guild.members.values()) {
    member.roleIds = member.roleIds.filter((id) => id !== role.id);
  }
  for (const channel of guild.channels.values()) {
    channel.overwrites = channel.overwrites.filter((overwrite) => overwrite.id !== role.id);
  }
  world.dispatch(
    'GUILD_ROLE_DELETE',
    { guild_id: guild.id, role_id: role.id },
    guild.id,
    GatewayIntentBits.Guilds,
  );
  world.audit(guild, actor, {
    action_type: AuditLogEvent.RoleDelete,
    target_id: role.id,
    changes: [{ key: 'name', old_value: role.name }],
  });
}
