import { PermissionFlagsBits as Permission } from 'discord-api-types/v10';
import { updateGuild } from '#src/actions/guilds.ts';
import { guildPayload, userPayload } from '#src/payloads.ts';
import { compareIds } from '#src/snowflake.ts';
import { requireGuild } from './access.ts';
import { fieldsOf, queryInteger, route } from './route.ts';

export const guildRoutes = [
  route('GET', '/guilds/{guild_id}', ({ world, params, query }) => {
    const guild = world.guild(params.guild_id);
    const counts = {
      approximate_member_count: guild.members.size,
      approximate_presence_count: guild.members.size,
    };
    return { ...guildPayload(guild), ...(query.get('with_counts') === 'true' ? counts : {}) };
  }),
  route('PATCH', '/guilds/{guild_id}', ({ world, params, body, actor }) => {
    const guild = world.guild(params.guild_id);
    requireGuild(world, guild, Permission.ManageGuild);
    const name = fieldsOf(body).string('name', { min: 2, max: 100 });
    updateGuild(world, guild, typeof name === 'string' ? { name } : {}, actor);
    return guildPayload(guild);
  }),
  route('GET', '/guilds/{guild_id}/audit-logs', ({ world, params, query }) => {
    const guild = world.guild(params.guild_id);
    requireGuild(world, guild, Permission.ViewAuditLog);
    const limit = queryInteger(query, 'limit', { min: 1, max: 100, fallback: 50 });
    const equals = (name: string, value: string | number | null) => {
      const wanted = query.get(name);
      return wanted === null || wanted === String(value);
    };
    const before = query.get('before');
    const after = query.get('after');
    const matching = guild.auditLog
      .filter((entry) => equals('user_id', entry.user_id))
      .filter((entry) => equals('target_id', entry.target_id))
      .filter((entry) => equals('action_type', entry.action_type))
      .filter((entry) => before === null || compareIds(entry.id, before) < 0)
      .filter((entry) => after === null || compareIds(entry.id, after) > 0);
    // With `after` the oldest entries come first, otherwise the newest.
    const entries = (after === null ? matching.toReversed() : matching).slice(0, limit);
    const involved = new Set(entries.flatMap((entry) => [entry.user_id, entry.target_id ?? '']));
    return {
      audit_log_entries: entries,
      users: [...involved].flatMap((id) => {
        const user = world.users.get(id);
        return user ? [userPayload(user)] : [];
      }),
      integrations: [],
      webhooks: [],
      guild_scheduled_events: [],
      threads: [],
      application_commands: [],
      auto_moderation_rules: [],
    };
  }),
];
