import { RESTJSONErrorCodes as Code, PermissionFlagsBits as Permission } from 'discord-api-types/v10';
import { banUser, unbanUser } from '#src/actions/members.ts';
import { DiscordError, invalidForm, refusal } from '#src/errors.ts';
import type { Ban, Guild } from '#src/model.ts';
import { userPayload } from '#src/payloads.ts';
import { outranks } from '#src/permissions.ts';
import { compareIds } from '#src/snowflake.ts';
import { requireGuild, requireOutranks } from './access.ts';
import { fieldsOf, optionalFieldsOf, queryInteger, route } from './route.ts';

const LONGEST_DELETION_SECONDS = 604_800;

function banPayload(ban: Ban) {
  return { user: userPayload(ban.user), reason: ban.reason };
}

function banOf(guild: Guild, userId: string): Ban {
  const ban = guild.bans.get(userId);
  if (!ban) throw refusal(Code.UnknownBan);
  return ban;
}

function deleteSeconds(body: unknown): number {
  const fields = optionalFieldsOf(body);
  const seconds = fields.integer('delete_message_seconds', { min: 0, max: LONGEST_DELETION_SECONDS });
  const days = fields.integer('delete_message_days', { min: 0, max: 7 });
  return seconds ?? (days ?? 0) * 86_400;
}

export const banRoutes = [
  route('GET', '/guilds/{guild_id}/bans', ({ world, params, query }) => {
    const guild = world.guild(params.guild_id);
    requireGuild(world, guild, Permission.BanMembers);
    const limit = queryInteger(query, 'limit', { min: 1, max: 1000, fallback: 1000 });
    const before = query.get('before');
    const after = query.get('after');
    const matching = [...guild.bans.values()]
      .toSorted((a, b) => compareIds(a.user.id, b.user.id))
      .filter((ban) => before === null || compareIds(ban.user.id, before) < 0)
      .filter((ban) => after === null || compareIds(ban.user.id, after) > 0);
    return (before === null ? matching.slice(0, limit) : matching.slice(-limit)).map(banPayload);
  }),
  route('GET', '/guilds/{guild_id}/bans/{user_id}', ({ world, params }) => {
    const guild = world.guild(params.guild_id);
    requireGuild(world, guild, Permission.BanMembers);
    return banPayload(banOf(guild, params.user_id));
  }),
  route('PUT', '/guilds/{guild_id}/bans/{user_id}', ({ world, params, body, actor }) => {
    const guild = world.guild(params.guild_id);
    const seconds = deleteSeconds(body);
    const bot = requireGuild(world, guild, Permission.BanMembers);
    const user = world.user(params.user_id);
    const member = guild.members.get(user.id);
    if (member) requireOutranks(guild, bot, member);
    banUser(world, guild, user, actor, seconds);
  }),
  route('DELETE', '/guilds/{guild_id}/bans/{user_id}', ({ world, params, actor }) => {
    const guild = world.guild(params.guild_id);
    requireGuild(world, guild, Permission.BanMembers);
    unbanUser(world, guild, banOf(guild, params.user_id).user, actor);
  }),
  route('POST', '/guilds/{guild_id}/bulk-ban', ({ world, params, body, actor }) => {
    const guild = world.guild(params.guild_id);
    const ids = fieldsOf(body).strings('user_ids');
    if (!ids || ids.length === 0 || ids.length > 200) {
      throw invalidForm('user_ids', 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 200 in length.');
    }
    const seconds = deleteSeconds(body);
    const bot = requireGuild(world, guild, Permission.BanMembers);
    requireGuild(world, guild, Permission.ManageGuild);
    const banned = [...new Set(ids)].filter((id) => {
      const user = world.users.get(id);
      const member = guild.members.get(id);
      if (!user || guild.bans.has(id) || (member && !outranks(guild, bot, member))) return false;
      banUser(world, guild, user, actor, seconds);
      return true;
    });
    if (banned.length === 0) throw new DiscordError(400, Code.FailedToBanUsers, 'Failed to ban users');
    return { banned_users: banned, failed_users: ids.filter((id) => !banned.includes(id)) };
  }),
];
