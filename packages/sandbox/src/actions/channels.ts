import {
  type APIOverwrite,
  AuditLogEvent,
  ChannelType,
  GatewayIntentBits,
  OverwriteType,
} from 'discord-api-types/v10';
import type { Actor, Channel, Guild, Thread, User } from '#src/model.ts';
import { announcedChannelPayload } from '#src/payloads.ts';
import type { World } from '#src/world.ts';

export interface ChannelChange {
  name?: string;
  topic?: string | null;
  parentId?: string | null;
  position?: number;
  nsfw?: boolean;
  rateLimitPerUser?: number;
  overwrites?: APIOverwrite[];
}

/** The change of a thread. */
type ThreadChange = Partial<Pick<Thread, 'archived' | 'locked'>>;

export function makeChannel(
  id: string,
  owner: { guildId: string } | { recipientId: string },
  type: ChannelType,
  change: ChannelChange,
  thread: Thread | null = null,
): Channel {
  return {
    id,
    type,
    guildId: 'guildId' in owner ? owner.guildId : null,
    recipientId: 'recipientId' in owner ? owner.recipientId : null,
    name: change.name ?? '',
    topic: change.topic ?? null,
    parentId: change.parentId ?? null,
    position: change.position ?? 0,
    nsfw: change.nsfw ?? false,
    rateLimitPerUser: change.rateLimitPerUser ?? 0,
    overwrites: change.overwrites ?? [],
    thread,
    messages: new Map(),
    pins: new Map(),
  };
}

/** Events of threads go to who sees them; a channel that the bot does not see is announced without what it is. */
function announce(world: World, guild: Guild, event: string, channel: Channel): void {
  if (channel.thread === null || world.botSees(channel)) {
    world.dispatch(event, announcedChannelPayload(world, channel), guild.id, GatewayIntentBits.Guilds);
  } else {
    world.changed();
  }
}

/** Runs a change of roles. Discord announces the channels that the bot sees only since then. */
export function revealingChannels(world: World, guild: Guild, change: () => void): void {
  const hidden = [...guild.channels.values()].filter(
    (channel) => channel.thread === null && !world.botSees(channel),
  );
  change();
  for (const channel of hidden) {
    if (world.botSees(channel)) announce(world, guild, 'CHANNEL_UPDATE', channel);
  }
}

export function createChannel(
  world: World,
  guild: Guild,
  type: ChannelType,
  change: ChannelChange,
  actor: Actor,
): Channel {
  // Discord makes names of text channels lower-case and replaces spaces.
  const name = type === ChannelType.GuildText ? slug(change.name) : change.name;
  const channel = makeChannel(world.ids.next(), { guildId: guild.id }, type, {
    position: guild.channels.size,
    ...change,
    ...(name === undefined ? {} : { name }),
  });
  guild.channels.set(channel.id, channel);
  announce(world, guild, 'CHANNEL_CREATE', channel);
  world.audit(guild, actor, {
    action_type: AuditLogEvent.ChannelCreate,
    target_id: channel.id,
    changes: [{ key: 'name', new_value: channel.name }],
  });
  return channel;
}

/** Opens a thread in a channel; its opener is its first member. */
export function createThread(
  world: World,
  guild: Guild,
  parent: Channel,
  { name, type, by }: { name: string; type: ChannelType; by: User },
): Channel {
  const thread: Thread = { ownerId: by.id, memberIds: new Set([by.id]), archived: false, locked: false };
  const place = { name, parentId: parent.id };
  const channel = makeChannel(world.ids.next(), { guildId: guild.id }, type, place, thread);
  guild.channels.set(channel.id, channel);
  announce(world, guild, 'THREAD_CREATE', channel);
  return channel;
}

export function updateThread(
  world: World,
  guild: Guild,
  channel: Channel & { readonly thread: Thread },
  change: ThreadChange,
): void {
  Object.assign(channel.thread, change);
  announce(world, guild, 'THREAD_UPDATE', channel);
}

export function isThread(channel: Channel): channel is Channel & { readonly thread: Thread } {
  return channel.thread !== null;
}

function slug(name: string | undefined): string {
  return (name ?? '').trim().toLowerCase().replace(/\s+/g, '-');
}

export function updateChannel(
  world: World,
  guild: Guild,
  channel: Channel,
  change: ChannelChange,
  actor: Actor,
): void {
  const before = { ...channel };
  const { overwrites, ...plain } = change;
  Object.assign(channel, plain);
  if (change.name !== undefined && channel.type === ChannelType.GuildText) channel.name = slug(change.name);
  if (overwrites !== undefined) channel.overwrites = overwrites;
  announce(world, guild, 'CHANNEL_UPDATE', channel);
  const seen = [
    { key: 'name', old_value: before.name, new_value: channel.name },
    { key: 'rate_limit_per_user', old_value: before.rateLimitPerUser, new_value: channel.rateLimitPerUser },
  ];
  world.audit(guild, actor, {
    action_type: AuditLogEvent.ChannelUpdate,
    target_id: channel.id,
    changes: seen.filter(({ old_value, new_value }) => old_value !== new_value),
  });
}

/** Sets what a role or a person may and may not do in a channel, or with null takes it back. */
export function setOverwrite(
  world: World,
  guild: Guild,
  channel: Channel,
  { id, set }: { id: string; set: APIOverwrite | null },
  actor: Actor,
): void {
  const before = channel.overwrites.find((overwrite) => overwrite.id === id);
  const others = channel.overwrites.filter((overwrite) => overwrite.id !== id);
  channel.overwrites = set === null ? others : [...others, set];
  announce(world, guild, 'CHANNEL_UPDATE', channel);
  const kinds = {
    create: AuditLogEvent.ChannelOverwriteCreate,
    update: AuditLogEvent.ChannelOverwriteUpdate,
  };
  const type = (set ?? before)?.type ?? OverwriteType.Role;
  world.audit(guild, actor, {
    action_type:
      set === null ? AuditLogEvent.ChannelOverwriteDelete : kinds[before === undefined ? 'create' : 'update'],
    target_id: channel.id,
    changes: (['allow', 'deny'] as const)
      .map((key) => ({ key, old_value: before?.[key], new_value: set?.[key] }))
      .filter(({ old_value, new_value }) => old_value !== new_value),
    options: { id, type: String(type), ...(type === OverwriteType.Role ? roleName(guild, id) : {}) },
  });
}

function roleName(guild: Guild, id: string): { role_name?: string } {
  const role = guild.roles.get(id);
  return role === undefined ? {} : { role_name: role.name };
}

export function deleteChannel(world: World, guild: Guild, channel: Channel, actor: Actor): void {
  announce(world, guild, channel.thread === null ? 'CHANNEL_DELETE' : 'THREAD_DELETE', channel);
  guild.channels.delete(channel.id);
  for (const other of guild.channels.values()) {
    if (other.parentId !== channel.id) continue;
    // The threads of a channel end with it.
    if (other.thread === null) other.parentId = null;
    else guild.channels.delete(other.id);
  }
  world.audit(guild, actor, {
    action_type: AuditLogEvent.ChannelDelete,
    target_id: channel.id,
    changes: [{ key: 'name', old_value: channel.name }],
  });
}

/** The bot's direct-message channel with a user, opened if there is none. */
export function openDm(world: World, user: User): Channel {
  const open = world.dms.get(user.id);
  if (open) return open;
  const channel = makeChannel(world.ids.next(), { recipientId: user.id }, ChannelType.DM, {});
  world.dms.set(user.id, channel);
  world.changed();
  return channel;
}
