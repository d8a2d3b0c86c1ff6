import {
  type APIOverwrite,
  ChannelType,
  RESTJSONErrorCodes as Code,
  OverwriteType,
  PermissionFlagsBits as Permission,
} from 'discord-api-types/v10';
import {
  type ChannelChange,
  createChannel,
  deleteChannel,
  isThread,
  setOverwrite,
  updateChannel,
  updateThread,
} from '#src/actions/channels.ts';
import { invalidForm, refusal } from '#src/errors.ts';
import type { Fields } from '#src/fields.ts';
import { isObject } from '#src/fields.ts';
import type { Channel, Guild, Thread } from '#src/model.ts';
import { dmChannelPayload, guildChannelPayload, hasSlowmode } from '#src/payloads.ts';
import { guildPermissions } from '#src/permissions.ts';
import type { World } from '#src/world.ts';
import { guildChannel, requireGuild, requireInChannel, visibleChannel } from './access.ts';
import { fieldsOf, route } from './route.ts';

const CREATABLE = [
  ChannelType.GuildText,
  ChannelType.GuildVoice,
  ChannelType.GuildCategory,
  ChannelType.GuildAnnouncement,
  ChannelType.GuildStageVoice,
  ChannelType.GuildForum,
];

function payloadOf(world: World, channel: Channel) {
  const recipient = world.users.get(channel.recipientId ?? '');
  return recipient ? dmChannelPayload(channel, recipient) : guildChannelPayload(channel);
}

function readOverwrite(value: unknown, at: string): APIOverwrite {
  const fields = fieldsOf(value);
  const type = fields.integer('type', { min: 0, max: 1 });
  const bits = (name: 'allow' | 'deny') => {
    const given = String(fields.values[name] ?? '0');
    if (!/^\d{1,20}$/.test(given)) {
      throw invalidForm(`${at}.${name}`, 'NUMBER_TYPE_COERCE', `Value "${given}" is not int.`);
    }
    return given;
  };
  return {
    id: fields.requiredString('id'),
    type: type === 1 ? OverwriteType.Member : OverwriteType.Role,
    allow: bits('allow'),
    deny: bits('deny'),
  };
}

function readChannel(guild: Guild, type: ChannelType, fields: Fields): ChannelChange {
  const change: ChannelChange = {};
  const name = fields.string('name', { min: 1, max: 100 });
  const topic = fields.string('topic', { max: 1024 });
  const parentId = fields.string('parent_id');
  const position = fields.integer('position', { min: 0 });
  const nsfw = fields.boolean('nsfw');
  const slowmode = fields.integer('rate_limit_per_user', { min: 0, max: 21_600 });
  const overwrites = fields.objects('permission_overwrites');
  if (typeof name === 'string') change.name = name;
  if (topic !== undefined) change.topic = topic;
  if (parentId !== undefined) {
    if (parentId !== null && guild.channels.get(parentId)?.type !== ChannelType.GuildCategory) {
      throw invalidForm('parent_id', 'CHANNEL_PARENT_INVALID', 'Category does not exist');
    }
    change.parentId = parentId;
  }
  if (typeof position === 'number') change.position = position;
  if (typeof nsfw === 'boolean') change.nsfw = nsfw;
  if (typeof slowmode === 'number' && hasSlowmode(type)) change.rateLimitPerUser = slowmode;
  if (overwrites) {
    change.overwrites = overwrites.map((item, index) =>
      readOverwrite(item, `permission_overwrites.${index}`),
    );
  }
  return change;
}

/** Throws 50013 if the overwrites of a new channel contain permissions that the bot does not have. */
function requireHeld(world: World, guild: Guild, overwrites: readonly APIOverwrite[]): void {
  const held = guildPermissions(guild, world.botMember(guild));
  const asked = overwrites.reduce((bits, { allow, deny }) => bits | BigInt(allow) | BigInt(deny), 0n);
  if ((asked & ~held) !== 0n) throw refusal(Code.MissingPermissions);
}

/**
 * Throws 50013 unless the bot may manage permissions there and holds in the guild what would change. Who may manage the
 * permissions of that very channel by an overwrite need not hold them.
 */
function requireMayOverwrite(
  world: World,
  guild: Guild,
  channel: Channel,
  { id, allow, deny }: Pick<APIOverwrite, 'id' | 'allow' | 'deny'>,
): void {
  requireInChannel(world, channel, Permission.ManageRoles);
  const bot = world.botMember(guild);
  const before = channel.overwrites.find((overwrite) => overwrite.id === id);
  const changed = (BigInt(allow) ^ BigInt(before?.allow ?? 0)) | (BigInt(deny) ^ BigInt(before?.deny ?? 0));
  const isManager = channel.overwrites.some(
    (overwrite) =>
      [bot.user.id, ...bot.roleIds].includes(overwrite.id) &&
      (BigInt(overwrite.allow) & Permission.ManageRoles) !== 0n,
  );
  if (!isManager && (changed & ~guildPermissions(guild, bot)) !== 0n) {
    throw refusal(Code.MissingPermissions);
  }
}

/** In the archive nothing of a thread changes but that it is taken out, by who may write there or manage threads. */
function changeThread(
  world: World,
  guild: Guild,
  channel: Channel & { thread: Thread },
  fields: Fields,
): void {
  const { thread } = channel;
  const archived = fields.boolean('archived') ?? undefined;
  const locked = fields.boolean('locked') ?? undefined;
  if (thread.archived && archived !== false) throw refusal(Code.InvalidActionOnArchivedThread);
  const isOpening = archived === false && !thread.locked && locked === undefined;
  requireInChannel(world, channel, Permission.ManageThreads, ...(isOpening ? [Permission.SendMessages] : []));
  updateThread(world, guild, channel, {
    ...(archived === undefined ? {} : { archived }),
    ...(locked === undefined ? {} : { locked }),
  });
}

export const channelRoutes = [
  route('GET', '/guilds/{guild_id}/channels', ({ world, params }) =>
    [...world.guild(params.guild_id).channels.values()]
      .filter((channel) => channel.thread === null && world.botSees(channel))
      .map(guildChannelPayload),
  ),
  route(
    'POST',
    '/guilds/{guild_id}/channels',
    ({ world, params, body, actor }) => {
      const guild = world.guild(params.guild_id);
      requireGuild(world, guild, Permission.ManageChannels);
      const fields = fieldsOf(body);
      fields.requiredString('name', { min: 1, max: 100 });
      const wanted = fields.integer('type') ?? ChannelType.GuildText;
      const type = CREATABLE.find((known) => known === wanted);
      if (type === undefined) {
        throw invalidForm('type', 'BASE_TYPE_CHOICES', `Value must be one of {${CREATABLE.join(', ')}}.`);
      }
      const change = readChannel(guild, type, fields);
      requireHeld(world, guild, change.overwrites ?? []);
      // A new channel without overwrites gets those of its category.
      const parent = guild.channels.get(change.parentId ?? '');
      if (parent && change.overwrites === undefined) {
        change.overwrites = parent.overwrites.map((overwrite) => ({ ...overwrite }));
      }
      return guildChannelPayload(createChannel(world, guild, type, change, actor));
    },
    { status: 201 },
  ),
  route('GET', '/channels/{channel_id}', ({ world, params }) =>
    payloadOf(world, visibleChannel(world, params.channel_id)),
  ),
  route('PATCH', '/channels/{channel_id}', ({ world, params, body, actor }) => {
    const { guild, channel } = guildChannel(world, params.channel_id);
    if (isThread(channel)) {
      changeThread(world, guild, channel, fieldsOf(body));
      return payloadOf(world, channel);
    }
    requireInChannel(world, channel, Permission.ManageChannels);
    updateChannel(world, guild, channel, readChannel(guild, channel.type, fieldsOf(body)), actor);
    return payloadOf(world, channel);
  }),
  route('DELETE', '/channels/{channel_id}', ({ world, params, actor }) => {
    const channel = visibleChannel(world, params.channel_id);
    const guild = world.guildOfChannel(channel);
    if (guild) {
      requireInChannel(world, channel, channel.thread ? Permission.ManageThreads : Permission.ManageChannels);
      if (guild.communityChannelIds.has(channel.id)) {
        throw refusal(Code.CannotDeleteChannelRequiredForCommunityGuilds);
      }
      deleteChannel(world, guild, channel, actor);
    }
    return payloadOf(world, channel);
  }),
  route('PUT', '/channels/{channel_id}/permissions/{overwrite_id}', ({ world, params, body, actor }) => {
    const { guild, channel } = guildChannel(world, params.channel_id);
    const given = isObject(body) ? body : {};
    const set = readOverwrite({ ...given, id: params.overwrite_id }, 'overwrite');
    requireMayOverwrite(world, guild, channel, set);
    setOverwrite(world, guild, channel, { id: set.id, set }, actor);
  }),
  route('DELETE', '/channels/{channel_id}/permissions/{overwrite_id}', ({ world, params, actor }) => {
    const { guild, channel } = guildChannel(world, params.channel_id);
    const id = params.overwrite_id;
    requireMayOverwrite(world, guild, channel, { id, allow: '0', deny: '0' });
    if (!channel.overwrites.some((overwrite) => overwrite.id === id)) {
      throw refusal(Code.UnknownPermissionOverwrite);
    }
    setOverwrite(world, guild, channel, { id, set: null }, actor);
  }),
];
