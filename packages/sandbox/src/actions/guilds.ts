import { AuditLogEvent, GatewayIntentBits } from 'discord-api-types/v10';
import type { Actor, Guild } from '#src/model.ts';
import { announcedChannelPayload, guildChannelPayload, guildPayload, memberPayload } from '#src/payloads.ts';
import { wireTime } from '#src/snowflake.ts';
import type { World } from '#src/world.ts';

/**
 * The payload of GUILD_CREATE. Without the presences intent Discord sends only the bot itself in `members`; clients
 * request the others (opcode 8).
 */
export function guildCreatePayload(world: World, guild: Guild) {
  const bot = guild.members.get(world.bot.id);
  return {
    ...guildPayload(guild),
    joined_at: bot?.joinedAt ?? wireTime(),
    large: guild.members.size > 50,
    unavailable: false,
    member_count: guild.members.size,
    voice_states: [],
    members: bot ? [memberPayload(bot)] : [],
    channels: [...guild.channels.values()]
      .filter(({ thread }) => thread === null)
      .map((channel) => announcedChannelPayload(world, channel)),
    threads: [...guild.channels.values()]
      .filter(({ thread }) => thread?.archived === false)
      .map(guildChannelPayload),
    presences: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
  };
}

export function announceGuild(world: World, guild: Guild): void {
  world.dispatch('GUILD_CREATE', guildCreatePayload(world, guild), guild.id, GatewayIntentBits.Guilds);
}

export function updateGuild(
  world: World,
  guild: Guild,
  change: { name?: string; ownerId?: string },
  actor: Actor,
): void {
  const changes = [
    ...(change.name === undefined || change.name === guild.name
      ? []
      : [{ key: 'name', old_value: guild.name, new_value: change.name }]),
    ...(change.ownerId === undefined || change.ownerId === guild.ownerId
      ? []
      : [{ key: 'owner_id', old_value: guild.ownerId, new_value: change.ownerId }]),
  ];
  if (change.name !== undefined) guild.name = change.name;
  if (change.ownerId !== undefined) guild.ownerId = change.ownerId;
  world.dispatch('GUILD_UPDATE', guildPayload(guild), guild.id, GatewayIntentBits.Guilds);
  if (changes.length > 0) {
    world.audit(guild, actor, { action_type: AuditLogEvent.GuildUpdate, target_id: guild.id, changes });
  }
}

/** Starts or ends an outage of the guild at the gateway. REST is not affected. */
export function setAvailable(world: World, guild: Guild, available: boolean): void {
  if (guild.unavailable === !available) return;
  guild.unavailable = !available;
  if (available) announceGuild(world, guild);
  else
    world.dispatch('GUILD_DELETE', { id: guild.id, unavailable: true }, guild.id, GatewayIntentBits.Guilds);
}
