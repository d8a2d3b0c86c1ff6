import { PermissionFlagsBits as Permission } from 'discord-api-types/v10';
import { openDm } from '#src/actions/channels.ts';
import {
  deleteMessage,
  editMessage,
  type MessageContent,
  type MessageOrigin,
  postMessage,
  setPinned,
  storeFiles,
} from '#src/actions/messages.ts';
import { ControlError } from '#src/errors.ts';
import type { Fields } from '#src/fields.ts';
import type { Channel, Message, Poll, User } from '#src/model.ts';
import { userPayload } from '#src/payloads.ts';
import { channelPermissions, isTimedOut } from '#src/permissions.ts';
import { MESSAGE_FLAGS } from '#src/rest/message-body.ts';
import { wireTime } from '#src/snowflake.ts';
import type { World } from '#src/world.ts';
import { type FileRequest, readFile } from './files.ts';
import { channelOf, controlFields, guildOf, memberOf, userOf } from './resolve.ts';

const MOST_AT_ONCE = 2000;

/** The body of `POST /sandbox/messages`: something a person does with messages, by default write one. */
export interface MessageRequest {
  action?: 'write' | 'edit' | 'delete' | 'pin' | 'unpin';
  /** Who acts: a user id or a name of `people`. */
  user: string;
  /** Id or name; `dm` is the person's direct messages with the bot. Default `general`. */
  channel?: string;
  guild_id?: string;
  content?: string;
  message_id?: string;
  reply_to?: string;
  /** The id of a message of the guild that is forwarded, as it is now. */
  forward?: string;
  /** The name of a sticker. */
  sticker?: string;
  poll?: { question: string; answers: string[] };
  /** Writes that many, numbered, one second apart. */
  count?: number;
  /** How long ago they were written. */
  age_seconds?: number;
  /** Discord's number of the kind of message; by default 0, a usual one. */
  type?: number;
  /** The name of a webhook that writes it in place of the person. */
  webhook?: string;
  /** Who gave the command that this message answers. The person who writes it stands for the bot of another application. */
  answers?: string;
  /** What a webhook writes besides its words, or Discord's preview of the links in a person's. */
  embeds?: {
    title?: string;
    description?: string;
    url?: string;
    fields?: { name: string; value: string }[];
  }[];
  /** What a webhook or an application lays out in place of words. */
  components?: object[];
  files?: FileRequest[];
}

export function controlMessages(world: World, body: unknown) {
  const fields = controlFields(body, [
    'action',
    'user',
    'channel',
    'guild_id',
    'content',
    'message_id',
    'reply_to',
    'forward',
    'sticker',
    'poll',
    'count',
    'age_seconds',
    'type',
    'webhook',
    'answers',
    'embeds',
    'components',
    'files',
  ]);
  const action = fields.choice('action', ['write', 'edit', 'delete', 'pin', 'unpin']) ?? 'write';
  const user = userOf(world, fields, 'user');
  const channel = placeOf(world, fields, user);
  requireMay(world, channel, user, action);
  if (action === 'write') return write(world, channel, user, fields);
  const message = messageOf(channel, fields.requiredString('message_id'));
  if (action === 'delete') deleteMessage(world, channel, message, { id: user.id, reason: null });
  else if (action === 'edit') {
    if (message.author.id !== user.id) throw new ControlError(403, 'Only the author can edit a message.');
    editMessage(world, channel, user, message, {
      content: fields.requiredString('content', { min: 1, max: 2000 }),
    });
  } else setPinned(world, channel, message, action === 'pin', { id: user.id, reason: null });
  return { messages: [message] };
}

function placeOf(world: World, fields: Fields, user: User): Channel {
  const name = fields.string('channel') ?? 'general';
  if (name === 'dm') return openDm(world, user);
  const dm = world.dms.get(user.id);
  if (dm?.id === name) return dm;
  return channelOf(world, guildOf(world, fields), fields, 'channel', 'general');
}

function requireMay(world: World, channel: Channel, user: User, action: string): void {
  const guild = world.guildOfChannel(channel);
  if (!guild) return;
  const member = memberOf(guild, user);
  const permissions = channelPermissions(guild, channel, member);
  const needed = action === 'write' ? Permission.SendMessages : Permission.ViewChannel;
  if (member.pending && action === 'write') {
    throw new ControlError(403, `${user.username} has not passed the membership screening of ${guild.name}.`);
  }
  if ((permissions & Permission.ViewChannel) === 0n || (permissions & needed) === 0n) {
    const why = isTimedOut(member) ? `is timed out until ${member.timeoutUntil}` : 'lacks the permission';
    throw new ControlError(403, `${user.username} cannot ${action} in #${channel.name}: ${why}.`);
  }
}

function messageOf(channel: Channel, id: string): Message {
  const message = channel.messages.get(id);
  if (!message) throw new ControlError(404, `message_id: #${channel.name} has no message ${id}.`);
  return message;
}

function write(world: World, channel: Channel, user: User, fields: Fields): { messages: Message[] } {
  const files = (fields.objects('files') ?? []).map(readFile);
  const parts = partsOf(world, channel, fields);
  // As at Discord, a file needs no words, and neither does what follows.
  const content =
    files.length > 0 || Object.keys(parts).length > 0
      ? (fields.string('content', { max: 2000 }) ?? '')
      : fields.requiredString('content', { min: 1, max: 2000 });
  const count = fields.integer('count', { min: 1, max: MOST_AT_ONCE }) ?? 1;
  const ageSeconds = fields.integer('age_seconds', { min: 0 });
  const replyTo = fields.string('reply_to');
  const type = fields.integer('type', { min: 0, max: 63 });
  const webhook = fields.string('webhook', { min: 1, max: 80 });
  const kind = {
    ...(typeof type === 'number' ? { type } : {}),
    ...(fields.has('answers') ? answerTo(world, channel, userOf(world, fields, 'answers')) : {}),
    ...(typeof webhook === 'string' ? { webhook: { id: world.ids.next(), name: webhook } } : {}),
  };
  const messages = Array.from({ length: count }, (_, index) => {
    const at =
      typeof ageSeconds === 'number' ? { atMs: Date.now() - (ageSeconds + count - 1 - index) * 1000 } : {};
    return postMessage(
      world,
      channel,
      { author: user, ...kind, ...at },
      {
        content: count === 1 ? content : `${content} ${index + 1}`,
        ...(typeof replyTo === 'string' ? { replyTo: messageOf(channel, replyTo) } : {}),
        ...parts,
        ...(files.length === 0 ? {} : { attachments: storeFiles(world, channel, files) }),
      },
    );
  });
  return { messages };
}

function answerTo(world: World, channel: Channel, user: User): Pick<MessageOrigin, 'type' | 'interaction'> {
  const metadata = {
    id: world.ids.next(),
    type: 2,
    user: userPayload(user),
    authorizing_integration_owners: { 0: channel.guildId ?? '0' },
  };
  return { type: 20, interaction: { metadata } };
}

/** What a message has that is neither words nor files. */
function partsOf(
  world: World,
  channel: Channel,
  fields: Fields,
): Pick<MessageContent, 'forwarded' | 'stickers' | 'poll' | 'embeds' | 'components' | 'flags'> {
  const forward = fields.string('forward');
  const sticker = fields.string('sticker', { min: 1, max: 30 });
  const poll = fields.object('poll');
  const embeds = fields.objects('embeds');
  const hasLink = /https?:\/\//.test(fields.string('content') ?? '');
  if (embeds && !fields.has('webhook') && !hasLink)
    throw new ControlError(403, 'embeds: only a webhook writes them, or Discord for a link.');
  const components = fields.objects('components');
  if (components && !fields.has('webhook') && !fields.has('answers'))
    throw new ControlError(403, 'components: only a webhook or an application lays them out.');
  return {
    ...(typeof forward === 'string' ? { forwarded: forwardedOf(world, channel, forward) } : {}),
    ...(typeof sticker === 'string' ? { stickers: [sticker] } : {}),
    ...(poll ? { poll: pollOf(controlFields(poll, ['question', 'answers'])) } : {}),
    ...(embeds ? { embeds } : {}),
    ...(components ? { components, flags: MESSAGE_FLAGS.componentsV2 } : {}),
  };
}

function forwardedOf(world: World, channel: Channel, id: string): Message {
  const channels = world.guildOfChannel(channel)?.channels.values() ?? [];
  for (const { messages } of channels) {
    const found = messages.get(id);
    if (found) return found;
  }
  throw new ControlError(404, `forward: there is no message ${id}.`);
}

function pollOf(fields: Fields): Poll {
  return {
    question: { text: fields.requiredString('question', { min: 1, max: 300 }) },
    answers: (fields.strings('answers') ?? []).map((text, index) => ({
      answer_id: index + 1,
      poll_media: { text },
    })),
    expiry: wireTime(Date.now() + 24 * 60 * 60_000),
    allow_multiselect: false,
    layout_type: 1,
    results: { answer_counts: [], is_finalized: false },
  };
}
