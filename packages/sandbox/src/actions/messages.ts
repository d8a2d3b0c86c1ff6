import {
  type APIEmbed,
  AuditLogEvent,
  EmbedType,
  GatewayIntentBits,
  PermissionFlagsBits,
} from 'discord-api-types/v10';
import type { JsonObject } from '#src/fields.ts';
import type { Actor, Attachment, Channel, Message, Poll, StoredFile, User } from '#src/model.ts';
import { partialMemberPayload, userPayload, webhookPayload } from '#src/payloads.ts';
import { channelPermissions } from '#src/permissions.ts';
import { wireTime } from '#src/snowflake.ts';
import type { World } from '#src/world.ts';
import { storeFile } from './files.ts';

export interface AllowedMentions {
  readonly parse: readonly string[];
  readonly users: readonly string[];
  readonly roles: readonly string[];
  readonly repliedUser: boolean;
}

/** The parts of a message in a request. When a message is edited, absent parts do not change. */
export interface MessageContent {
  content?: string;
  embeds?: APIEmbed[];
  components?: JsonObject[];
  flags?: number;
  tts?: boolean;
  allowedMentions?: AllowedMentions;
  attachments?: Attachment[];
  nonce?: string | number;
  replyTo?: Message;
  forwarded?: Message;
  /** The names of stickers. */
  stickers?: string[];
  poll?: Poll;
}

export interface MessageOrigin {
  readonly author: User;
  readonly type?: number;
  /** Unix milliseconds; now when absent. */
  readonly atMs?: number;
  readonly interaction?: { metadata: JsonObject };
  /** The webhook that wrote it; its author looks like a bot with the webhook's id. */
  readonly webhook?: { readonly id: string; readonly name: string };
}

/** A new message that is in no channel yet, as ephemeral answers need. */
export function makeMessage(
  world: World,
  channel: Channel,
  origin: MessageOrigin,
  content: MessageContent,
): Message {
  const atMs = origin.atMs ?? Date.now();
  const { replyTo: reply, forwarded, stickers, poll } = content;
  const message: Message = {
    id: origin.atMs === undefined ? world.ids.next() : world.ids.at(atMs),
    channel_id: channel.id,
    author: origin.webhook === undefined ? userPayload(origin.author) : webhookPayload(origin.webhook),
    content: '',
    timestamp: wireTime(atMs),
    edited_timestamp: null,
    tts: content.tts ?? false,
    mention_everyone: false,
    mentions: [],
    mention_roles: [],
    attachments: [],
    embeds: [],
    pinned: false,
    type: origin.type ?? (reply ? 19 : 0),
    flags: 0,
    components: [],
    ...(content.nonce === undefined ? {} : { nonce: content.nonce }),
    ...(origin.webhook === undefined ? {} : { webhook_id: origin.webhook.id }),
    ...(origin.interaction === undefined
      ? {}
      : {
          // A bot has the id of its application.
          webhook_id: origin.author.id,
          application_id: origin.author.id,
          interaction_metadata: origin.interaction.metadata,
        }),
    ...(reply === undefined
      ? {}
      : {
          message_reference: {
            type: 0,
            channel_id: channel.id,
            message_id: reply.id,
            ...(channel.guildId === null ? {} : { guild_id: channel.guildId }),
          },
          referenced_message: { ...reply, referenced_message: null },
        }),
    ...(forwarded === undefined ? {} : forwardOf(channel, forwarded)),
    ...(stickers === undefined
      ? {}
      : { sticker_items: stickers.map((name) => ({ id: world.ids.next(), name, format_type: 1 })) }),
    ...(poll === undefined ? {} : { poll }),
  };
  applyContent(world, channel, origin.author, message, content);
  return message;
}

/** What a message has because it forwards another one (docs.discord.com: Message Snapshot Object). */
function forwardOf(
  { guildId }: Channel,
  forwarded: Message,
): Pick<Message, 'message_reference' | 'message_snapshots'> {
  const { id, channel_id, author: _, ...snapshot } = structuredClone(forwarded);
  return {
    message_reference: {
      type: 1,
      channel_id,
      message_id: id,
      ...(guildId === null ? {} : { guild_id: guildId }),
    },
    message_snapshots: [{ message: snapshot }],
  };
}

/** Replaces the given parts of a message, and updates its mentions. */
export function applyContent(
  world: World,
  channel: Channel,
  author: User,
  message: Message,
  content: MessageContent,
): void {
  if (content.content !== undefined) message.content = content.content;
  if (content.embeds !== undefined) {
    message.embeds = content.embeds.map((embed) => ({
      ...withoutNulls(embed),
      type: EmbedType.Rich,
      ...(embed.fields
        ? { fields: embed.fields.map((field) => ({ ...field, inline: field.inline ?? false })) }
        : {}),
    }));
  }
  if (content.components !== undefined) message.components = numberComponents(content.components);
  if (content.attachments !== undefined) message.attachments = content.attachments;
  if (content.flags !== undefined) message.flags = content.flags;
  if (content.content !== undefined) mention(world, channel, author, message, content);
}

function mention(
  world: World,
  channel: Channel,
  author: User,
  message: Message,
  { allowedMentions: allowed, replyTo }: MessageContent,
): void {
  const may = (kind: 'users' | 'roles', id: string) =>
    allowed === undefined || allowed.parse.includes(kind) || allowed[kind].includes(id);
  const found = (pattern: RegExp) => [
    ...new Set([...message.content.matchAll(pattern)].map((match) => match[1] ?? '')),
  ];
  const users = found(/<@!?(\d{17,20})>/g).filter((id) => may('users', id));
  if (replyTo && (allowed === undefined || allowed.repliedUser)) users.push(replyTo.author.id);
  message.mentions = [...new Set(users)].flatMap((id) => {
    const user = world.users.get(id);
    return user ? [userPayload(user)] : [];
  });
  const guild = world.guildOfChannel(channel);
  const member = guild?.members.get(author.id);
  const pingsAll =
    guild !== undefined &&
    member !== undefined &&
    (channelPermissions(guild, channel, member) & PermissionFlagsBits.MentionEveryone) !== 0n;
  message.mention_roles = found(/<@&(\d{17,20})>/g).filter(
    (id) =>
      may('roles', id) &&
      guild?.roles.has(id) === true &&
      (pingsAll || guild.roles.get(id)?.mentionable === true),
  );
  message.mention_everyone =
    pingsAll &&
    /@everyone|@here/.test(message.content) &&
    (allowed === undefined || allowed.parse.includes('everyone'));
}

function withoutNulls<Value extends object>(value: Value): Value {
  const kept = Object.entries(value).filter(([, field]) => field !== null && field !== undefined);
  return Object.fromEntries(kept) as Value;
}

/** The components of a message with an id each and with defaults, as Discord stores them. */
function numberComponents(components: readonly JsonObject[]): JsonObject[] {
  let last = 0;
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== 'object' || value === null) return value;
    const object = value as JsonObject;
    const isComponent = typeof object.type === 'number';
    const id = object.id;
    if (isComponent) last += 1;
    const own = isComponent ? { id: typeof id === 'number' && id > 0 ? id : last } : {};
    const select = isComponent && [3, 5, 6, 7, 8].includes(object.type as number);
    const fields = Object.entries(withoutNulls(object)).map(([name, field]) => [name, visit(field)]);
    return { ...(select ? { min_values: 1, max_values: 1 } : {}), ...Object.fromEntries(fields), ...own };
  };
  return components.map((component) => visit(component) as JsonObject);
}

export function storeFiles(world: World, channel: Channel, files: readonly StoredFile[]): Attachment[] {
  return files.map((file) => storeFile(world, `/attachments/${channel.id}`, file));
}

/** Adds a message to its channel and sends the event. */
export function postMessage(
  world: World,
  channel: Channel,
  origin: MessageOrigin,
  content: MessageContent,
): Message {
  const message = makeMessage(world, channel, origin, content);
  channel.messages.set(message.id, message);
  announceMessage(world, channel, 'MESSAGE_CREATE', message);
  return message;
}

export function editMessage(
  world: World,
  channel: Channel,
  author: User,
  message: Message,
  content: MessageContent,
): void {
  applyContent(world, channel, author, message, content);
  message.edited_timestamp = wireTime();
  announceMessage(world, channel, 'MESSAGE_UPDATE', message);
}

export function announceMessage(world: World, channel: Channel, event: string, message: Message): void {
  const guild = world.guildOfChannel(channel);
  const member = guild?.members.get(message.author.id);
  announce(world, channel, event, {
    ...message,
    ...(guild ? { guild_id: guild.id } : {}),
    ...(member ? { member: { ...partialMemberPayload(member), mute: false, deaf: false } } : {}),
  });
}

function announce(world: World, channel: Channel, event: string, data: object): void {
  if (!world.botSees(channel)) {
    world.changed();
    return;
  }
  const intent =
    channel.guildId === null ? GatewayIntentBits.DirectMessages : GatewayIntentBits.GuildMessages;
  world.dispatch(event, data, channel.guildId, intent);
}

/** Removes messages and their files; more than one is announced as one bulk delete. Returns how many were there. */
export function removeMessages(world: World, channel: Channel, ids: readonly string[], bulk = true): number {
  const present = ids.filter((id) => channel.messages.has(id));
  for (const id of present) {
    for (const { url } of channel.messages.get(id)?.attachments ?? [])
      world.files.delete(new URL(url).pathname);
    channel.messages.delete(id);
    channel.pins.delete(id);
  }
  const where = {
    channel_id: channel.id,
    ...(channel.guildId === null ? {} : { guild_id: channel.guildId }),
  };
  if (present.length === 0) return 0;
  if (bulk) announce(world, channel, 'MESSAGE_DELETE_BULK', { ids: present, ...where });
  else for (const id of present) announce(world, channel, 'MESSAGE_DELETE', { id, ...where });
  return present.length;
}

/** Deletes a message. Like Discord, it writes an audit entry only if the actor is not the author. */
export function deleteMessage(world: World, channel: Channel, message: Message, actor: Actor): void {
  removeMessages(world, channel, [message.id], false);
  const guild = world.guildOfChannel(channel);
  if (guild && message.author.id !== actor.id) {
    world.audit(guild, actor, {
      action_type: AuditLogEvent.MessageDelete,
      target_id: message.author.id,
      options: { channel_id: channel.id, count: '1' },
    });
  }
}

export function setPinned(
  world: World,
  channel: Channel,
  message: Message,
  pinned: boolean,
  actor: Actor,
): void {
  if (message.pinned === pinned) return;
  message.pinned = pinned;
  if (pinned) channel.pins.set(message.id, wireTime());
  else channel.pins.delete(message.id);
  announceMessage(world, channel, 'MESSAGE_UPDATE', message);
  const guild = world.guildOfChannel(channel);
  world.dispatch(
    'CHANNEL_PINS_UPDATE',
    {
      channel_id: channel.id,
      ...(guild ? { guild_id: guild.id } : {}),
      last_pin_timestamp: [...channel.pins.values()].toSorted().at(-1) ?? null,
    },
    channel.guildId,
    guild ? GatewayIntentBits.Guilds : GatewayIntentBits.DirectMessages,
  );
  if (guild) {
    world.audit(guild, actor, {
      action_type: pinned ? AuditLogEvent.MessagePin : AuditLogEvent.MessageUnpin,
      target_id: message.author.id,
      options: { channel_id: channel.id, message_id: message.id },
    });
  }
}
