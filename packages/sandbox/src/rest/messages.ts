import {
  AuditLogEvent,
  ChannelType,
  RESTJSONErrorCodes as Code,
  MessageType,
  PermissionFlagsBits as Permission,
} from 'discord-api-types/v10';
import { isThread, updateThread } from '#src/actions/channels.ts';
import {
  applyContent,
  deleteMessage,
  editMessage,
  type MessageContent,
  postMessage,
  removeMessages,
  setPinned,
} from '#src/actions/messages.ts';
import { invalidForm, refusal } from '#src/errors.ts';
import type { Fields } from '#src/fields.ts';
import type { Channel, Message } from '#src/model.ts';
import { withoutContent } from '#src/payloads.ts';
import { compareIds, fitsIn63Bits, isSnowflake, snowflakeTime } from '#src/snowflake.ts';
import type { World } from '#src/world.ts';
import {
  mayInChannel,
  messageOf,
  readableChannel,
  requireInChannel,
  requireNotArchived,
  visibleChannel,
} from './access.ts';
import { readMessage, refuseEmpty, refuseEmptyContent } from './message-body.ts';
import { type Call, fieldsOf, queryInteger, route } from './route.ts';

const OLDEST_BULK_DELETE_MS = 14 * 24 * 60 * 60 * 1000;
const TEXT_CHANNELS: readonly ChannelType[] = [
  ChannelType.GuildText,
  ChannelType.GuildAnnouncement,
  ChannelType.GuildVoice,
  ChannelType.GuildStageVoice,
  ChannelType.AnnouncementThread,
  ChannelType.PublicThread,
  ChannelType.PrivateThread,
  ChannelType.DM,
];
/** System messages that nobody can delete (discord.com/developers/docs/resources/message, "Message Types"). */
const UNDELETABLE: readonly MessageType[] = [
  MessageType.RecipientAdd,
  MessageType.RecipientRemove,
  MessageType.Call,
  MessageType.ChannelNameChange,
  MessageType.ChannelIconChange,
  MessageType.ThreadStarterMessage,
];

/** The message as a bot gets it that may be without the Message Content Intent. */
function shownToBot(world: World, channelId: string, message: Message): Message {
  const isDirect = world.findChannel(channelId)?.guildId === null;
  return world.hasMessageContent || isDirect ? message : withoutContent(world, message);
}

/** Newest first, as Discord lists messages. */
export function newestFirst(channel: Channel): Message[] {
  return [...channel.messages.values()].toSorted((a, b) => compareIds(b.id, a.id));
}

function listMessages(call: Call<'channel_id'>): Message[] {
  return pageOf(call).map((message) => shownToBot(call.world, call.params.channel_id, message));
}

function pageOf({ world, params, query }: Call<'channel_id'>): Message[] {
  const channel = readableChannel(world, params.channel_id);
  const limit = queryInteger(query, 'limit', { min: 1, max: 100, fallback: 50 });
  if (channel.guildId !== null && !mayInChannel(world, channel, Permission.ReadMessageHistory)) return [];
  const messages = newestFirst(channel);
  const [before, after, around] = ['before', 'after', 'around'].map((name) => {
    const id = query.get(name);
    if (id && !fitsIn63Bits(id))
      throw invalidForm(name, 'NUMBER_TYPE_COERCE', `Value "${id}" is not snowflake.`);
    return id;
  });
  if (around) {
    const half = Math.floor(limit / 2);
    const newer = messages.filter((message) => compareIds(message.id, around) > 0);
    const rest = messages.filter((message) => compareIds(message.id, around) <= 0);
    return [...newer.slice(-half), ...rest].slice(0, limit);
  }
  if (before) return messages.filter((message) => compareIds(message.id, before) < 0).slice(0, limit);
  if (after) return messages.filter((message) => compareIds(message.id, after) > 0).slice(-limit);
  return messages.slice(0, limit);
}

function createMessage({ world, params, body, files }: Call<'channel_id'>): Message {
  const channel = visibleChannel(world, params.channel_id);
  if (!TEXT_CHANNELS.includes(channel.type)) throw refusal(Code.CannotSendMessagesInNonTextChannel);
  requireReachable(world, channel);
  if (channel.thread?.locked) throw refusal(Code.ThreadLocked);
  const fields = fieldsOf(body ?? {});
  const repeated = findByNonce(world, fields);
  if (repeated) return repeated;
  const content = readMessage(world, channel, body, files);
  refuseEmptyContent(content);
  requireParts(world, channel, content);
  const replyTo = readReply(channel, fields);
  // A message takes a thread out of the archive.
  const guild = world.guildOfChannel(channel);
  if (guild && isThread(channel) && channel.thread.archived)
    updateThread(world, guild, channel, { archived: false });
  const message = postMessage(
    world,
    channel,
    { author: world.bot },
    { ...content, ...(replyTo === undefined ? {} : { replyTo }) },
  );
  world.nonces.add(message);
  return message;
}

/**
 * Throws unless the bot can send messages there. In a guild it needs the permission; a user must share a guild with it
 * (50278) and accept direct messages (50007).
 */
function requireReachable(world: World, channel: Channel): void {
  if (channel.recipientId === null) {
    requireInChannel(world, channel, Permission.SendMessages);
    return;
  }
  const recipient = world.user(channel.recipientId);
  if (!world.sharesGuildWithBot(recipient.id)) {
    throw refusal(Code.CannotSendMessagesToThisUserDueToHavingNoMutualGuilds);
  }
  if (!recipient.acceptsDms) throw refusal(Code.CannotSendMessagesToThisUser);
}

/** Throws 50013 for files or embeds that the bot may not send there. */
function requireParts(
  world: World,
  channel: Channel,
  { attachments = [], embeds = [] }: MessageContent,
): void {
  if (channel.guildId === null) return;
  if (attachments.length > 0) requireInChannel(world, channel, Permission.AttachFiles);
  if (embeds.length > 0) requireInChannel(world, channel, Permission.EmbedLinks);
}

/**
 * With `enforce_nonce`: the message of an earlier request with the same nonce, in whatever channel.
 *
 * @throws Refusal if that was deleted since (discord/discord-api-docs#6647)
 */
function findByNonce(world: World, fields: Fields): Message | undefined {
  if (fields.boolean('enforce_nonce') !== true) return undefined;
  const earlier = world.nonces.find(fields.values.nonce);
  if (earlier === undefined) return undefined;
  const message = world.findChannel(earlier.channel_id)?.messages.get(earlier.id);
  if (message === undefined) throw refusal(Code.UnknownMessage);
  return message;
}

function readReply(channel: Channel, fields: Fields): Message | undefined {
  const reference = fields.object('message_reference');
  if (!reference) return undefined;
  const inner = fieldsOf(reference);
  const message = channel.messages.get(inner.requiredString('message_id'));
  if (!message && inner.boolean('fail_if_not_exists') !== false) {
    throw invalidForm('message_reference', 'REPLIES_UNKNOWN_MESSAGE', 'Unknown message');
  }
  return message;
}

function bulkDelete({ world, params, body, actor }: Call<'channel_id'>): void {
  const channel = visibleChannel(world, params.channel_id);
  const guild = world.guildOfChannel(channel);
  if (!guild) throw refusal(Code.CannotExecuteActionOnThisChannelType);
  requireInChannel(world, channel, Permission.ManageMessages);
  const ids = fieldsOf(body).strings('messages');
  if (!ids || ids.length < 2 || ids.length > 100) {
    throw invalidForm('messages', 'BASE_TYPE_BAD_LENGTH', 'Must be between 2 and 100 in length.');
  }
  if (new Set(ids).size !== ids.length) {
    throw invalidForm('messages', 'SET_TYPE_ALREADY_CONTAINS_VALUE', 'The set already contains this value');
  }
  const foreign = ids.findIndex((id) => !isSnowflake(id));
  if (foreign !== -1) {
    throw invalidForm(
      `messages.${foreign}`,
      'NUMBER_TYPE_COERCE',
      `Value "${ids[foreign]}" is not snowflake.`,
    );
  }
  // Deleting messages is the one thing that may be done in an archived thread (Discord: Threads).
  if (ids.some((id) => isUndeletable(channel.messages.get(id)))) {
    throw refusal(Code.CannotExecuteActionOnSystemMessage);
  }
  if (ids.some((id) => Date.now() - snowflakeTime(id) > OLDEST_BULK_DELETE_MS)) {
    throw refusal(Code.OneOfTheMessagesProvidedWasTooOldForBulkDelete);
  }
  const count = removeMessages(world, channel, ids);
  if (count > 0) {
    world.audit(guild, actor, {
      action_type: AuditLogEvent.MessageBulkDelete,
      target_id: channel.id,
      options: { count: String(count) },
    });
  }
}

function isUndeletable(message: Message | undefined): boolean {
  return message !== undefined && UNDELETABLE.includes(message.type);
}

function pinOrUnpin(call: Call<'channel_id' | 'message_id'>, pinned: boolean): void {
  const { world, params, actor } = call;
  const channel = visibleChannel(world, params.channel_id);
  if (channel.guildId !== null) {
    requireInChannel(world, channel, Permission.PinMessages, Permission.ManageMessages);
  }
  setPinned(world, channel, messageOf(channel, params.message_id), pinned, actor);
}

function pinnedMessages(channel: Channel): { message: Message; pinned_at: string }[] {
  return [...channel.pins]
    .flatMap(([id, pinnedAt]) => {
      const message = channel.messages.get(id);
      return message ? [{ message, pinned_at: pinnedAt }] : [];
    })
    .toSorted((a, b) => b.pinned_at.localeCompare(a.pinned_at));
}

export const messageRoutes = [
  route('GET', '/channels/{channel_id}/messages', listMessages),
  route('POST', '/channels/{channel_id}/messages', createMessage),
  route('POST', '/channels/{channel_id}/messages/bulk-delete', bulkDelete),
  route('GET', '/channels/{channel_id}/messages/{message_id}', ({ world, params }) =>
    shownToBot(
      world,
      params.channel_id,
      messageOf(readableChannel(world, params.channel_id), params.message_id),
    ),
  ),
  route('PATCH', '/channels/{channel_id}/messages/{message_id}', ({ world, params, body, files }) => {
    const channel = visibleChannel(world, params.channel_id);
    const message = messageOf(channel, params.message_id);
    if (message.author.id !== world.bot.id) throw refusal(Code.CannotEditMessageAuthoredByAnotherUser);
    const content = readMessage(world, channel, body, files, message);
    requireNotArchived(channel);
    requireParts(world, channel, content);
    const after = structuredClone(message);
    applyContent(world, channel, world.bot, after, content);
    refuseEmpty(after);
    editMessage(world, channel, world.bot, message, content);
    return message;
  }),
  route('DELETE', '/channels/{channel_id}/messages/{message_id}', ({ world, params, actor }) => {
    const channel = visibleChannel(world, params.channel_id);
    const message = messageOf(channel, params.message_id);
    if (message.author.id !== world.bot.id) requireInChannel(world, channel, Permission.ManageMessages);
    if (isUndeletable(message)) throw refusal(Code.CannotExecuteActionOnSystemMessage);
    deleteMessage(world, channel, message, actor);
  }),
  route('POST', '/channels/{channel_id}/typing', ({ world, params }) => {
    requireReachable(world, visibleChannel(world, params.channel_id));
  }),
  route('GET', '/channels/{channel_id}/pins', ({ world, params }) =>
    pinnedMessages(visibleChannel(world, params.channel_id)).map(({ message }) => message),
  ),
  route('GET', '/channels/{channel_id}/messages/pins', ({ world, params, query }) => {
    const limit = queryInteger(query, 'limit', { min: 1, max: 50, fallback: 50 });
    const before = query.get('before');
    const items = pinnedMessages(visibleChannel(world, params.channel_id)).filter(
      (item) => before === null || Date.parse(item.pinned_at) < Date.parse(before),
    );
    return { items: items.slice(0, limit), has_more: items.length > limit };
  }),
  route('PUT', '/channels/{channel_id}/pins/{message_id}', (call) => pinOrUnpin(call, true)),
  route('DELETE', '/channels/{channel_id}/pins/{message_id}', (call) => pinOrUnpin(call, false)),
  route('PUT', '/channels/{channel_id}/messages/pins/{message_id}', (call) => pinOrUnpin(call, true)),
  route('DELETE', '/channels/{channel_id}/messages/pins/{message_id}', (call) => pinOrUnpin(call, false)),
];
