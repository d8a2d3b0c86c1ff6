import {
  type APIAttachment,
  type APIEmbed,
  type APIMessage,
  type APIMessageTopLevelComponent,
  ComponentType,
  EmbedType,
  type Message,
} from 'discord.js';
import { storable } from './storable.ts';

/** Discord's longest message, and the longest that an archive of a guild holds. */
const MOST_CHARACTERS = 4_000;

/** What a message holds, also one without words of its own: a forward, a poll, a sticker, an embed or components. */
export interface WholeMessage {
  /** Lines that were forwarded begin as a quotation does. */
  readonly text: string;
  readonly files: readonly { readonly url: string; readonly name: string; readonly bytes: number }[];
}

type Fields = Pick<APIMessage, 'content' | 'embeds' | 'components'> & {
  /** Absent where a message was forwarded: Discord does not say who wrote it. */
  readonly author?: { readonly bot?: boolean };
  readonly webhook_id?: string | null;
  readonly attachments: readonly Pick<APIAttachment, 'url' | 'filename' | 'size'>[];
  readonly poll?: Poll | null;
  readonly sticker_items?: readonly { readonly name: string }[];
};

interface Poll {
  readonly question: { readonly text?: string | null };
  readonly answers: readonly { readonly poll_media: { readonly text?: string | null } }[];
}

/** What a message holds that Discord listed. */
export function wholeMessage(
  message: Fields & { readonly message_snapshots?: readonly { readonly message: Fields }[] },
): WholeMessage {
  const forwarded = (message.message_snapshots ?? []).map((snapshot) => snapshot.message);
  const lines = [...linesOf(message), ...forwarded.flatMap(linesOf).map((line) => `> ${line}`)];
  return {
    text: storable(lines.join('\n').slice(0, MOST_CHARACTERS)),
    files: [message, ...forwarded].flatMap(({ attachments }) =>
      attachments.map(({ url, filename, size }) => ({ url, name: storable(filename), bytes: size })),
    ),
  };
}

/** The same of a message that somebody chose in Discord. */
export function wholeChosenMessage(message: Message): WholeMessage {
  const { messageSnapshots } = message;
  return wholeMessage({
    ...fieldsOf(message),
    author: message.author,
    webhook_id: message.webhookId,
    message_snapshots: messageSnapshots.map((snapshot) => ({ message: fieldsOf(snapshot) })),
  });
}

function fieldsOf({
  content,
  attachments,
  embeds,
  components,
  poll,
  stickers,
}: Pick<Message, 'content' | 'attachments' | 'embeds' | 'components' | 'poll' | 'stickers'>): Fields {
  return {
    content,
    attachments: attachments.map(({ url, name, size }) => ({ url, filename: name, size })),
    embeds: embeds.map(({ data }) => data),
    components: components.map((component) => component.toJSON()),
    sticker_items: [...stickers.values()],
    poll: poll && {
      question: poll.question,
      answers: poll.answers.map(({ text }) => ({ poll_media: { text } })),
    },
  };
}

function linesOf(message: Fields): string[] {
  const { content, components = [], poll, sticker_items: stickers = [] } = message;
  return [
    content,
    ...components.flatMap(textsIn),
    ...postedIn(message).flatMap(({ title, description, fields = [] }) => [
      title ?? '',
      description ?? '',
      ...fields.map(({ name, value }) => `${name}: ${value}`),
    ]),
    poll?.question.text ?? '',
    ...(poll?.answers ?? []).map(({ poll_media }) => `- ${poll_media.text ?? ''}`),
    ...stickers.map(({ name }) => `:${name}:`),
  ]
    .filter((part) => part !== '')
    .flatMap((part) => part.split('\n'));
}

/** The texts of a component. A message that a bot or a webhook has laid out in components has no words and no embeds. */
function textsIn(component: APIMessageTopLevelComponent): string[] {
  switch (component.type) {
    case ComponentType.TextDisplay:
      return [component.content];
    case ComponentType.Section:
    case ComponentType.Container:
      return component.components.flatMap(textsIn);
    default:
      return [];
  }
}

/** What a bot or a webhook has posted beside its words. A link brings a preview, which nobody wrote. */
function postedIn({ content, embeds, author, webhook_id: webhookId }: Fields): APIEmbed[] {
  const rich = embeds.filter(({ type }) => type === EmbedType.Rich);
  const isByPerson = author !== undefined && author.bot !== true && (webhookId ?? null) === null;
  const links = linksIn(content);
  if (isByPerson) return links.length > 0 ? [] : rich;
  return rich.filter(({ url = '' }) => !linksIn(url).some((link) => links.includes(link)));
}

/** The links in a text, without punctuation behind them, and without a last slash, which Discord may add. */
function linksIn(text: string): string[] {
  return text.match(/https?:\/\/[^\s<>)\]]*[^\s<>)\].,:;!?'"*_|~/]/g) ?? [];
}
