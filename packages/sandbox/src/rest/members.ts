import { RESTJSONErrorCodes as Code, PermissionFlagsBits as Permission } from 'discord-api-types/v10';
import { kickMember, type MemberChange, updateMember } from '#src/actions/members.ts';
import { Crowd } from '#src/crowd.ts';
import { invalidForm, refusal } from '#src/errors.ts';
import type { Fields } from '#src/fields.ts';
import type { Guild, Member } from '#src/model.ts';
import { memberPayload } from '#src/payloads.ts';
import { guildPermissions } from '#src/permissions.ts';
import { compareIds, wireTime } from '#src/snowflake.ts';
import type { World } from '#src/world.ts';
import { requireGuild, requireOutranks, requireRoleBelow } from './access.ts';
import { type Call, fieldsOf, queryInteger, route } from './route.ts';

const LONGEST_TIMEOUT_MS = 28 * 24 * 60 * 60 * 1000;
/** Discord accepts timeouts slightly longer than 28 days, because clocks differ. */
const CLOCK_ALLOWANCE_MS = 60_000;

export const memberRoutes = [
  route('GET', '/guilds/{guild_id}/members', ({ world, params, query }) => {
    const guild = world.guild(params.guild_id);
    const limit = queryInteger(query, 'limit', { min: 1, max: 1000, fallback: 1 });
    const after = query.get('after') ?? '0';
    return membersAfter(guild, after, limit).map(memberPayload);
  }),
  route('GET', '/guilds/{guild_id}/members/search', ({ world, params, query }) => {
    const guild = world.guild(params.guild_id);
    const limit = queryInteger(query, 'limit', { min: 1, max: 1000, fallback: 1 });
    const start = fieldsOf({ query: query.get('query') }).requiredString('query', { min: 1, max: 100 });
    return membersStartingWith(guild, start).slice(0, limit).map(memberPayload);
  }),
  route('GET', '/guilds/{guild_id}/members/{user_id}', ({ world, params }) => {
    const guild = world.guild(params.guild_id);
    return memberPayload(world.member(guild, params.user_id));
  }),
  route('PATCH', '/guilds/{guild_id}/members/{user_id}', ({ world, params, body, actor }) => {
    const guild = world.guild(params.guild_id);
    const member = world.member(guild, params.user_id);
    const change = readChange(world, guild, member, fieldsOf(body));
    updateMember(world, guild, member, change, actor);
    return memberPayload(member);
  }),
  route('PATCH', '/guilds/{guild_id}/members/@me', ({ world, params, body, actor }) => {
    const guild = world.guild(params.guild_id);
    const bot = requireGuild(world, guild, Permission.ChangeNickname);
    const nick = fieldsOf(body).string('nick', { max: 32 });
    updateMember(world, guild, bot, nick === undefined ? {} : { nick }, actor);
    return memberPayload(bot);
  }),
  route('DELETE', '/guilds/{guild_id}/members/{user_id}', ({ world, params, actor }) => {
    const guild = world.guild(params.guild_id);
    const bot = requireGuild(world, guild, Permission.KickMembers);
    const member = world.member(guild, params.user_id);
    requireOutranks(guild, bot, member);
    kickMember(world, guild, member, actor);
  }),
  route('PUT', '/guilds/{guild_id}/members/{user_id}/roles/{role_id}', (call) => changeRole(call, true)),
  route('DELETE', '/guilds/{guild_id}/members/{user_id}/roles/{role_id}', (call) => changeRole(call, false)),
];

function membersAfter({ members }: Guild, after: string, limit: number): Member[] {
  if (members instanceof Crowd) return members.page(after, limit);
  return [...members.values()]
    .toSorted((a, b) => compareIds(a.user.id, b.user.id))
    .filter((member) => compareIds(member.user.id, after) > 0)
    .slice(0, limit);
}

/** Discord looks at usernames and nicknames, and at nothing but their beginning. */
export function membersStartingWith(guild: Guild, start: string): Member[] {
  const wanted = start.toLowerCase();
  return [...guild.members.values()].filter(({ user, nick }) =>
    [user.username, nick].some((name) => name?.toLowerCase().startsWith(wanted)),
  );
}

function changeRole(call: Call<'guild_id' | 'user_id' | 'role_id'>, has: boolean): void {
  const { world, params, actor } = call;
  const guild = world.guild(params.guild_id);
  const bot = requireGuild(world, guild, Permission.ManageRoles);
  const member = world.member(guild, params.user_id);
  const role = guild.roles.get(params.role_id);
  if (!role || role.id === guild.id) throw refusal(Code.UnknownRole);
  if (role.managed) throw refusal(Code.MissingPermissions);
  requireRoleBelow(guild, bot, role);
  const others = member.roleIds.filter((id) => id !== role.id);
  if (has === member.roleIds.includes(role.id)) return;
  updateMember(world, guild, member, { roleIds: has ? [...others, role.id] : others }, actor);
}

function readChange(world: World, guild: Guild, member: Member, fields: Fields): MemberChange {
  const change: MemberChange = {};
  const nick = fields.string('nick', { max: 32 });
  if (nick !== undefined) {
    const bot = requireGuild(world, guild, Permission.ManageNicknames);
    if (member.user.id !== bot.user.id) requireOutranks(guild, bot, member);
    change.nick = nick;
  }
  const roles = fields.strings('roles');
  if (roles !== undefined) change.roleIds = readRoles(world, guild, member, roles ?? []);
  const until = fields.string('communication_disabled_until');
  if (until !== undefined) change.timeoutUntil = readTimeout(world, guild, member, until);
  for (const name of ['mute', 'deaf', 'channel_id']) {
    // Nobody in the sandbox is ever in a voice channel.
    if (fields.has(name))
      throw invalidForm(name, 'USER_NOT_IN_VOICE', 'Target user is not connected to voice.');
  }
  return change;
}

function readRoles(world: World, guild: Guild, member: Member, roleIds: readonly string[]): string[] {
  const bot = requireGuild(world, guild, Permission.ManageRoles);
  const wanted = new Set(roleIds.filter((id) => id !== guild.id));
  const changed = [...wanted, ...member.roleIds].filter(
    (id) => wanted.has(id) !== member.roleIds.includes(id),
  );
  for (const id of changed) {
    const role = guild.roles.get(id);
    if (!role) throw refusal(Code.UnknownRole);
    if (role.managed) throw refusal(Code.MissingPermissions);
    requireRoleBelow(guild, bot, role);
  }
  return [...wanted];
}

function readTimeout(world: World, guild: Guild, member: Member, until: string | null): string | null {
  const bot = requireGuild(world, guild, Permission.ModerateMembers);
  requireOutranks(guild, bot, member);
  if (until === null) return null;
  if ((guildPermissions(guild, member) & Permission.Administrator) !== 0n) {
    throw refusal(Code.MissingPermissions);
  }
  const atMs = Date.parse(until);
  if (Number.isNaN(atMs)) {
    throw invalidForm('communication_disabled_until', 'DATE_TIME_TYPE_PARSE', `Could not parse ${until}.`);
  }
  if (atMs > Date.now() + LONGEST_TIMEOUT_MS + CLOCK_ALLOWANCE_MS) {
    throw invalidForm(
      'communication_disabled_until',
      'BASE_TYPE_MAX',
      'Timeout cannot be longer than 28 days.',
    );
  }
  return wireTime(atMs);
}
