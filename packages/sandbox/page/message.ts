import type { MessageItem, View } from '../src/page/wire.ts';
import { componentNode } from './components.ts';
import { avatar, type Child, colored, h, present, timeOf } from './dom.ts';
import { formatted, type NameOf } from './markdown.ts';
import { messageMenu, personMenu } from './people-menus.ts';

const SAME_BREATH_MS = 7 * 60_000;

/** A message with what decides how it looks beside the one before it. */
export interface Line {
  readonly message: MessageItem;
  /** Follows one of the same person within minutes: no picture and no name again. */
  readonly isContinued: boolean;
  /** The date, where the message is the first of its day. */
  readonly day: string | null;
}

export function linesOf(messages: readonly MessageItem[]): Line[] {
  return messages.map((message, index) => {
    const before = messages[index - 1];
    const day = new Date(message.at).toDateString();
    const isNewDay = before === undefined || new Date(before.at).toDateString() !== day;
    const isContinued =
      !isNewDay &&
      before.author.id === message.author.id &&
      before.isEphemeral === message.isEphemeral &&
      message.reply === null &&
      message.used === null &&
      Date.parse(message.at) - Date.parse(before.at) < SAME_BREATH_MS;
    return { message, isContinued, day: isNewDay ? day : null };
  });
}

export function messageNode(
  { message, isContinued, day }: Line,
  seen: View,
  nameOf: NameOf,
  dismiss: () => void,
) {
  const { author } = message;
  const item = h('li', { id: `message-${message.id}`, class: 'message' });
  item.classList.toggle('continued', isContinued);
  item.classList.toggle('ephemeral', message.isEphemeral);
  const more = h(
    'button',
    {
      type: 'button',
      class: 'more',
      tabindex: -1,
      'aria-label': `More about the message of ${author.name}`,
      'aria-haspopup': 'menu',
    },
    '…',
  );
  if (!message.isEphemeral) {
    more.addEventListener('click', () => messageMenu(message, more));
    item.addEventListener('contextmenu', (event) => messageMenu(message, more, event));
  }
  const name = colored(
    h('button', { type: 'button', class: 'author plain', tabindex: -1 }, author.name),
    author.color,
  );
  const aboutAuthor = (event: MouseEvent) => {
    event.stopPropagation();
    personMenu(author, name, event);
  };
  name.addEventListener('click', aboutAuthor);
  name.addEventListener('contextmenu', aboutAuthor);
  item.append(
    ...present([
      day !== null &&
        h('div', { class: 'day' }, new Date(message.at).toLocaleDateString([], { dateStyle: 'long' })),
      message.reply !== null && replyLine(message.reply),
      message.used !== null &&
        h('div', { class: 'small above' }, `${message.used.name} used /${message.used.command}`),
      !isContinued && avatar(author.id, author.name),
      h(
        'div',
        { class: 'head' },
        name,
        author.bot && h('span', { class: 'tag' }, 'BOT'),
        timeOf(message.at),
        message.isPinned && h('span', { class: 'tag' }, 'pinned'),
        !message.isEphemeral && more,
      ),
      h('div', { class: 'body' }, ...bodyOf(message, seen, nameOf)),
      message.isEphemeral &&
        h(
          'div',
          { class: 'small foot' },
          'Only you can see this · ',
          h('button', { type: 'button', class: 'link', onclick: dismiss }, 'Dismiss'),
        ),
    ]),
  );
  return item;
}

function replyLine({ id, name, content }: NonNullable<MessageItem['reply']>): HTMLElement {
  const show = () => document.getElementById(`message-${id}`)?.scrollIntoView({ block: 'center' });
  return h(
    'button',
    { type: 'button', class: 'plain small above', tabindex: -1, onclick: show },
    `↱ ${name}: ${content}`,
  );
}

function bodyOf(message: MessageItem, seen: View, nameOf: NameOf): Child[] {
  if (message.isWaiting) return [h('div', { class: 'text soft' }, `${message.author.name} is thinking…`)];
  return [
    message.content !== '' &&
      h(
        'div',
        { class: 'text' },
        ...formatted(message.content, nameOf),
        message.isEdited && h('span', { class: 'small' }, ' (edited)'),
      ),
    ...message.embeds.map((embed) => embedNode(embed, nameOf)),
    ...message.files.map(({ name, path, bytes, isImage }) =>
      h(
        'a',
        { class: 'file', href: path, download: name },
        isImage && h('img', { src: path, alt: name, loading: 'lazy' }),
        h('span', null, name, ' ', h('span', { class: 'small' }, `${bytes.toLocaleString('en')} bytes`)),
      ),
    ),
    ...message.components.map((component) => componentNode(component, message.id, seen, nameOf)),
  ];
}

function embedNode(embed: MessageItem['embeds'][number], nameOf: NameOf): HTMLElement {
  const fields = (embed.fields ?? []).map((field) =>
    h(
      'div',
      { class: field.inline ? 'inline' : null },
      h('dt', null, ...formatted(field.name, nameOf)),
      h('dd', null, ...formatted(field.value, nameOf)),
    ),
  );
  const node = h(
    'div',
    { class: 'embed' },
    embed.author && h('div', { class: 'small' }, embed.author.name),
    embed.title && h('strong', null, ...formatted(embed.title, nameOf)),
    embed.description && h('div', { class: 'text' }, ...formatted(embed.description, nameOf)),
    fields.length > 0 && h('dl', null, ...fields),
    (embed.footer || embed.timestamp) &&
      h('div', { class: 'small' }, embed.footer?.text ?? '', ' ', embed.timestamp && timeOf(embed.timestamp)),
  );
  if (embed.color) node.style.setProperty('--edge', `#${embed.color.toString(16).padStart(6, '0')}`);
  return node;
}
