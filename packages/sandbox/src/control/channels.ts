import {
  type APIOverwrite,
  ChannelType,
  MessageType,
  OverwriteType,
  PermissionFlagsBits as Permission,
} from 'discord-api-types/v10';
import {
  type ChannelChange,
  createChannel,
  createThread,
  deleteChannel,
  isThread,
  updateChannel,
  updateThread,
} from '#src/actions/channels.ts';
import { postMessage } from '#src/actions/messages.ts';
import { ControlError } from '#src/errors.ts';
import type { Fields } from '#src/fields.ts';
import type { Channel, Guild, Member } from '#src/model.ts';
import { guildChannelPayload } from '#src/payloads.ts';
import { channelPermissions } from '#src/permissions.ts';
import type { World } from '#src/world.ts';
import {
  actorOf,
  channelOf,
  controlFields,
  findUser,
  guildOf,
  memberOf,
  readPermissions,
  roleNamed,
} from './resolve.ts';

/** The body of `POST /sandbox/channels`. A thread has a `parent`; `archived` and `locked` are of threads. */
export interface ChannelRequest {
  action: 'create' | 'update' | 'delete';
  channel?: string;
  /** Default `text`. */
  type?: keyof typeof TYPES;
  name?: string;
  topic?: string;
  parent?: string;
  archived?: boolean;
  locked?: boolean;
  /** What a role or a person, by id or name, may and may not do there; it replaces what was said of them before. */
  overwrite?: { of: string; allow?: string[]; deny?: string[] };
  /** Seconds between two messages of one person. */
  slowmode?: number;
  guild_id?: string;
  by?: string;
}

const TYPES = {
  text: ChannelType.GuildText,
  voice: ChannelType.GuildVoice,
  stage: ChannelType.GuildStageVoice,
  category: ChannelType.GuildCategory,
  announcement: ChannelType.GuildAnnouncement,
  forum: ChannelType.GuildForum,
  public_thread: ChannelType.PublicThread,
  private_thread: ChannelType.PrivateThread,
} as const;
const TYPE_NAMES = Object.keys(TYPES) as readonly (keyof typeof TYPES)[];
const THREADS: readonly ChannelType[] = [TYPES.public_thread, TYPES.private_thread];

export function controlChannels(world: World, body: unknown) {
  const fields = controlFields(body, [
    'action',
    'channel',
    'type',
    'name',
    'topic',
    'parent',
    'archived',
    'locked',
    'overwrite',
    'slowmode',
    'guild_id',
    'by',
  ]);
  const action = fields.requiredChoice('action', ['create', 'update', 'delete']);
  const guild = guildOf(world, fields);
  if (action === 'create') return { channel: guildChannelPayload(create(world, guild, fields)) };
  const actor = actorOf(world, guild, fields);
  const channel = channelOf(world, guild, fields, 'channel');
  if (action === 'delete') {
    deleteChannel(world, guild, channel, actor);
    return { deleted: channel.id };
  }
  if (isThread(channel)) {
    const archived = fields.boolean('archived') ?? channel.thread.archived;
    const locked = fields.boolean('locked') ?? channel.thread.locked;
    updateThread(world, guild, channel, { archived, locked });
  } else {
    updateChannel(world, guild, channel, readChange(world, guild, fields, channel.overwrites), actor);
  }
  return { channel: guildChannelPayload(channel) };
}

function create(world: World, guild: Guild, fields: Fields): Channel {
  const type = TYPES[fields.choice('type', TYPE_NAMES) ?? 'text'];
  const name = fields.requiredString('name', { min: 1, max: 100 });
  const actor = actorOf(world, guild, fields);
  if (!THREADS.includes(type)) {
    return createChannel(world, guild, type, readChange(world, guild, fields, []), actor);
  }
  const parent = channelOf(world, guild, fields, 'parent');
  const by = world.user(actor.id);
  requireMayBegin(guild, parent, type, memberOf(guild, by));
  const thread = createThread(world, guild, parent, { name, type, by });
  // Discord says in the channel that there is a public one.
  if (type === TYPES.public_thread && parent.type === TYPES.text)
    postMessage(world, parent, { author: by, type: MessageType.ThreadCreated }, { content: name });
  return thread;
}

function requireMayBegin(guild: Guild, parent: Channel, type: ChannelType, member: Member): void {
  const needed =
    parent.type === TYPES.forum
      ? Permission.SendMessages
      : type === TYPES.private_thread
        ? Permission.CreatePrivateThreads
        : Permission.CreatePublicThreads;
  if ((channelPermissions(guild, parent, member) & needed) === 0n)
    throw new ControlError(403, `${member.user.username} cannot begin a thread in #${parent.name}.`);
}

function readChange(
  world: World,
  guild: Guild,
  fields: Fields,
  before: readonly APIOverwrite[],
): ChannelChange {
  const name = fields.string('name', { min: 1, max: 100 });
  const topic = fields.string('topic', { max: 1024 });
  const slowmode = fields.integer('slowmode', { min: 0, max: 21_600 });
  const overwrite = readOverwrite(world, guild, fields);
  return {
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof topic === 'string' ? { topic } : {}),
    ...(typeof slowmode === 'number' ? { rateLimitPerUser: slowmode } : {}),
    ...(fields.has('parent') ? { parentId: channelOf(world, guild, fields, 'parent').id } : {}),
    ...(overwrite === null
      ? {}
      : { overwrites: [...before.filter(({ id }) => id !== overwrite.id), overwrite] }),
  };
}

function readOverwrite(world: World, guild: Guild, fields: Fields): APIOverwrite | null {
  const given = fields.object('overwrite');
  if (!given) return null;
  const overwrite = controlFields(given, ['of', 'allow', 'deny']);
  const of = overwrite.requiredString('of');
  const user = findUser(world, of);
  if (user && !guild.members.has(user.id)) {
    throw new ControlError(409, `overwrite.of: ${user.username} is not a member of ${guild.name}.`);
  }
  return {
    id: user?.id ?? roleNamed(guild, of, 'overwrite.of').id,
    type: user ? OverwriteType.Member : OverwriteType.Role,
    allow: readPermissions(overwrite.values.allow ?? [], 'overwrite.allow'),
    deny: readPermissions(overwrite.values.deny ?? [], 'overwrite.deny'),
  };
}
