import type { JsonObject } from '#src/fields.ts';
import type { Channel, Guild, Message, User } from '#src/model.ts';
import { MESSAGE_FLAGS } from '#src/rest/message-body.ts';
import { compareIds } from '#src/snowflake.ts';
import type { World } from '#src/world.ts';
import { colorOf, nameOf, personName } from './names.ts';
import type { Component, MessageItem } from './wire.ts';

const SHOWN = 50;
const MOST = 5_000;
/** What a browser shows as a picture. Everything else is a link. */
const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/**
 * The messages of a channel that the page shows, oldest first, with the answers that only this person sees: those from the
 * message `from` on and `older` before it, by default the newest 50.
 */
export function messageItems(
  world: World,
  guild: Guild,
  user: User,
  channel: Channel,
  query: URLSearchParams,
): { messages: MessageItem[]; hasOlder: boolean } {
  const all = [...channel.messages.values()].toSorted((a, b) => compareIds(a.id, b.id));
  const from = query.get('from');
  const first = from === null ? -1 : all.findIndex(({ id }) => compareIds(id, from) >= 0);
  const older = Math.min(Number(query.get('older') ?? '0') || 0, SHOWN * 4);
  const newest = Math.max(0, all.length - SHOWN);
  const start = Math.max(0, all.length - MOST, (first === -1 ? newest : Math.min(first, newest)) - older);
  const shown = all.slice(start);
  const hidden = ephemeralOf(world, user, channel).filter(
    ({ id }) => start === 0 || compareIds(id, shown[0]?.id ?? '') > 0,
  );
  const isHidden = new Set(hidden);
  const messages = [...shown, ...hidden]
    .toSorted((a, b) => compareIds(a.id, b.id))
    .map((message) => messageItem(world, guild, message, isHidden.has(message)));
  return { messages, hasOlder: start > 0 };
}

function ephemeralOf(world: World, user: User, channel: Channel): Message[] {
  const answered = new Set(
    [...world.interactions.values()]
      .filter(({ userId }) => userId === user.id)
      .flatMap(({ responses }) => responses.map(({ message }) => message?.id)),
  );
  return [...world.ephemeral.values()].filter(
    ({ id, channel_id }) => channel_id === channel.id && answered.has(id),
  );
}

function messageItem(world: World, guild: Guild, message: Message, isEphemeral: boolean): MessageItem {
  const { author, interaction_metadata: metadata, referenced_message: replied } = message;
  const known = guild.members.has(author.id) ? guild.members.get(author.id) : undefined;
  const interaction = world.interactions.get(String(metadata?.id));
  return {
    id: message.id,
    author: {
      id: author.id,
      name: known ? personName(known.user, known) : (author.global_name ?? author.username),
      bot: author.bot === true,
      color: colorOf(guild, known),
    },
    at: message.timestamp,
    isEdited: message.edited_timestamp !== null && message.interaction_metadata === undefined,
    isPinned: message.pinned,
    isEphemeral,
    isWaiting: (message.flags & MESSAGE_FLAGS.loading) !== 0,
    content: message.content,
    embeds: message.embeds,
    files: message.attachments.map(({ filename, url, size, content_type }) => ({
      name: filename,
      path: url.slice(new URL(url).origin.length),
      bytes: size,
      isImage: IMAGES.includes(content_type),
    })),
    components: message.components.filter(isComponent),
    reply: replied
      ? {
          id: replied.id,
          name: nameOf(world, guild, replied.author.id),
          content: replied.content.slice(0, 200),
        }
      : null,
    used:
      interaction?.kind === 'command' && !isEphemeral
        ? { name: nameOf(world, guild, interaction.userId), command: interaction.name }
        : null,
  };
}

/** The sandbox has checked the components when the bot sent them. */
function isComponent(value: JsonObject): value is JsonObject & Component {
  return typeof value.type === 'number';
}
