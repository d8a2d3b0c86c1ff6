import { type APIEmbed, RESTJSONErrorCodes as Code } from 'discord-api-types/v10';
import { type AllowedMentions, type MessageContent, storeFiles } from '#src/actions/messages.ts';
import { invalidForm, refusal } from '#src/errors.ts';
import { type Fields, isObject } from '#src/fields.ts';
import type { Attachment, Channel, Message, StoredFile } from '#src/model.ts';
import type { World } from '#src/world.ts';
import { refuseBadComponents } from './component-rules.ts';
import { refuseBadLinks } from './link-buttons.ts';
import { fieldsOf } from './route.ts';

const LONGEST_CONTENT = 2000;
const LONGEST_EMBED_TEXTS = 6000;
/** What a bot may upload to a guild without boosts. */
const LARGEST_FILE_BYTES = 10 * 1024 * 1024;
const EMBED_LENGTHS = { title: 256, description: 4096 } as const;
export const MESSAGE_FLAGS = { ephemeral: 64, loading: 128, componentsV2: 32_768 } as const;
/** SUPPRESS_EMBEDS, EPHEMERAL, SUPPRESS_NOTIFICATIONS, IS_COMPONENTS_V2: what a sender may set. */
const SETTABLE_FLAGS = 4 | 64 | 4096 | 32_768;

/**
 * The message content in a request, checked against Discord's limits (50035 with the wrong field). `edited` is the
 * message being changed, whose attachments may be kept by id.
 */
export function readMessage(
  world: World,
  channel: Channel,
  body: unknown,
  files: readonly StoredFile[],
  edited?: Message,
): MessageContent {
  const fields = fieldsOf(body ?? {});
  const content = fields.string('content', { max: LONGEST_CONTENT });
  const embeds = readEmbeds(fields);
  const components = fields.objects('components');
  refuseBadLinks(components ?? []);
  refuseBadComponents(components ?? []);
  const flags = fields.integer('flags');
  const tts = fields.boolean('tts');
  const nonce = fields.values.nonce;
  const allowed = readAllowedMentions(fields);
  const attachments = readAttachments(world, channel, fields, files, edited);
  return {
    ...(content === undefined ? {} : { content: content ?? '' }),
    ...(embeds === undefined ? {} : { embeds }),
    ...(components === undefined ? {} : { components: components ?? [] }),
    ...(flags === undefined ? {} : { flags: (flags ?? 0) & SETTABLE_FLAGS }),
    ...(typeof tts === 'boolean' ? { tts } : {}),
    ...(typeof nonce === 'string' || typeof nonce === 'number' ? { nonce } : {}),
    ...(allowed === undefined ? {} : { allowedMentions: allowed }),
    ...(attachments === undefined ? {} : { attachments }),
  };
}

/** Throws 50006 for an empty message. */
export function refuseEmpty(
  message: Pick<Message, 'content' | 'embeds' | 'components' | 'attachments'>,
): void {
  const parts = message.embeds.length + message.components.length + message.attachments.length;
  if (message.content.trim() === '' && parts === 0) throw refusal(Code.CannotSendAnEmptyMessage);
}

/** The same check before the message exists. */
export function refuseEmptyContent(content: MessageContent): void {
  refuseEmpty({
    content: content.content ?? '',
    embeds: content.embeds ?? [],
    components: content.components ?? [],
    attachments: content.attachments ?? [],
  });
}

function readEmbeds(fields: Fields): APIEmbed[] | undefined {
  const embeds = fields.objects('embeds');
  if (embeds === undefined) return undefined;
  if (embeds === null) return [];
  if (embeds.length > 10)
    throw invalidForm('embeds', 'BASE_TYPE_MAX_LENGTH', 'Must be 10 or fewer in length.');
  let texts = 0;
  embeds.forEach((embed, index) => {
    for (const [name, max] of Object.entries(EMBED_LENGTHS)) {
      const text = embed[name];
      if (typeof text !== 'string') continue;
      texts += text.length;
      if (text.length > max) {
        throw invalidForm(
          `embeds.${index}.${name}`,
          'BASE_TYPE_MAX_LENGTH',
          `Must be ${max} or fewer in length.`,
        );
      }
    }
    for (const small of [
      { part: embed.footer, name: 'text' },
      { part: embed.author, name: 'name' },
    ]) {
      const text = isObject(small.part) ? small.part[small.name] : undefined;
      if (typeof text === 'string') texts += text.length;
    }
    texts += readEmbedFields(embed.fields, index);
  });
  if (texts > LONGEST_EMBED_TEXTS) {
    throw invalidForm('embeds', 'MAX_EMBED_SIZE_EXCEEDED', 'Embed size exceeds maximum size of 6000');
  }
  return embeds as unknown as APIEmbed[];
}

/** Checks the fields of an embed and returns the sum of their characters. */
function readEmbedFields(value: unknown, index: number): number {
  if (!Array.isArray(value)) return 0;
  if (value.length > 25) {
    throw invalidForm(`embeds.${index}.fields`, 'BASE_TYPE_MAX_LENGTH', 'Must be 25 or fewer in length.');
  }
  return value.filter(isObject).reduce((sum, field, at) => {
    const where = fieldsOf(field);
    const name = `embeds.${index}.fields.${at}`;
    const label = where.values.name;
    const text = where.values.value;
    if (typeof label !== 'string' || label.trim() === '' || label.length > 256) {
      throw invalidForm(`${name}.name`, 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 256 in length.');
    }
    if (typeof text !== 'string' || text.trim() === '' || text.length > 1024) {
      throw invalidForm(`${name}.value`, 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 1024 in length.');
    }
    return sum + label.length + text.length;
  }, 0);
}

function readAllowedMentions(fields: Fields): AllowedMentions | undefined {
  const given = fields.object('allowed_mentions');
  if (given === undefined || given === null) return undefined;
  const inner = fieldsOf(given);
  return {
    parse: inner.strings('parse') ?? [],
    users: inner.strings('users') ?? [],
    roles: inner.strings('roles') ?? [],
    repliedUser: inner.boolean('replied_user') ?? false,
  };
}

function readAttachments(
  world: World,
  channel: Channel,
  fields: Fields,
  files: readonly StoredFile[],
  edited: Message | undefined,
): Attachment[] | undefined {
  const listed = fields.objects('attachments');
  if (listed === undefined && files.length === 0) return undefined;
  if (files.some(({ bytes }) => bytes.byteLength > LARGEST_FILE_BYTES))
    throw refusal(Code.RequestEntityTooLarge);
  const stored = storeFiles(world, channel, files);
  const keeps = new Set((listed ?? []).map((item) => String(item.id)));
  const kept = (edited?.attachments ?? []).filter(
    (attachment) => listed === undefined || keeps.has(attachment.id),
  );
  return [...kept, ...stored];
}
