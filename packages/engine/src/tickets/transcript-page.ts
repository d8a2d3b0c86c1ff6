import { setImmediate } from 'node:timers/promises';
import { type Markdown, readMarkdown, showUnseen } from '@bailiff/core';
import { type Locale, type Translator, translator } from '@bailiff/messages';
import type { TranscriptMessage } from './ticket-list.ts';

/** What a ticket's opener may read of it: what stood in its channel, and nothing else. */
export interface SharedTranscript {
  readonly guildName: string;
  readonly number: number;
  readonly subject: string;
  readonly category: string | null;
  readonly answers: readonly { readonly question: string; readonly answer: string }[];
  readonly openedAt: Date;
  readonly closedAt: Date | null;
  readonly messages: readonly TranscriptMessage[];
  /** Whether the channel was gone before all messages were read. */
  readonly isCut: boolean;
  /** Names of people and roles by id, for mentions. */
  readonly names: Readonly<Record<string, string>>;
}

/** Discord takes at most 10 MiB of a bot; the request holds more than the file. */
export const MOST_TRANSCRIPT_BYTES = 8 * 1024 * 1024;
/** What is left for the page around the messages: a ticket has four answers of 1,000 characters. */
const HEAD_BYTES = 64 * 1024;
const MOST_QUOTED = 120;

/** Nothing is loaded and nothing runs, whatever a message says. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
const STYLE = `:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:48rem;margin:0 auto;padding:1rem;overflow-wrap:anywhere}
dt,.soft{opacity:.75;font-size:.875rem}dd{margin:0 0 .5rem;white-space:pre-wrap}ol{list-style:none;padding:0}
li{margin:0 0 1rem}.text{white-space:pre-wrap;unicode-bidi:isolate}blockquote{margin:0;padding-left:.75rem;
border-left:3px solid}pre{white-space:pre-wrap}pre,code,.mention{background:#8883;border-radius:4px;padding:0 .2rem}
.spoiler:not(:hover,:focus){background:currentColor}`;

/** Runs a part of the work. Others have their turn in between. */
type TranscriptStep = (work: () => void) => Promise<void>;

const afterOthers: TranscriptStep = async (work) => {
  await setImmediate();
  work();
};

/** How much of the file is written in a step: some milliseconds of work. All of it can be two seconds. */
const CHARACTERS_OF_STEP = 64 * 1024;

/**
 * The transcript of a ticket as one HTML file that needs no other. It has no script, and everything that people wrote is
 * text in it. The oldest messages are left out if the file would have more than `mostBytes`, and a sentence says so.
 */
export async function transcriptPage(
  shared: SharedTranscript,
  locale: Locale,
  step: TranscriptStep = afterOthers,
  mostBytes: number = MOST_TRANSCRIPT_BYTES,
): Promise<string> {
  const t = translator(locale, 'notices');
  const writer = { t, locale, names: namesIn(shared), kept: new Map(byId(shared.messages)) };
  const items: string[] = [];
  const waiting = [...shared.messages];
  let left = mostBytes - HEAD_BYTES;
  while (left >= 0 && waiting.length > 0) {
    await step(() => {
      for (let ofStep = CHARACTERS_OF_STEP; left >= 0 && ofStep > 0; ) {
        const message = waiting.pop();
        if (message === undefined) return;
        const item = itemOf(message, writer);
        left -= Buffer.byteLength(item);
        ofStep -= item.length;
        if (left >= 0) items.push(item);
      }
    });
  }
  const count = shared.messages.length - items.length;
  const title = `${t('tickets.file.heading', { number: String(shared.number) })} · ${shared.guildName}`;
  const missing = [
    ...(count > 0 ? [t('tickets.file.leftOut', { count })] : []),
    ...(shared.isCut ? [t('tickets.file.isCut')] : []),
  ];
  return `<!doctype html>
<html lang="${locale}"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="referrer" content="no-referrer"><meta name="viewport" content="width=device-width">
<title>${written(title)}</title><style>${STYLE}</style></head><body>
<h1>${isolated(title)}</h1>
<p>${escaped(t('tickets.file.lead'))}</p>
<dl>${factsOf(shared, t, locale)}</dl>
${missing.map((said) => `<p><strong>${escaped(said)}</strong></p>\n`).join('')}<ol>
${items.reverse().join('\n')}
</ol></body></html>
`;
}

interface Writer {
  readonly t: Translator<'notices'>;
  readonly locale: Locale;
  readonly names: Readonly<Record<string, string>>;
  readonly kept: ReadonlyMap<string, TranscriptMessage>;
}

function byId(messages: readonly TranscriptMessage[]): [string, TranscriptMessage][] {
  return messages.map((message) => [message.id, message]);
}

/** Those who wrote are shown by name, even if they are not in the guild any more. */
function namesIn({ names, messages }: SharedTranscript): Record<string, string> {
  return {
    ...names,
    ...Object.fromEntries(messages.map(({ author_id, author_name }) => [author_id, author_name])),
  };
}

function factsOf(shared: SharedTranscript, t: Translator<'notices'>, locale: Locale): string {
  const { subject, category, answers, openedAt, closedAt } = shared;
  const facts: [string, string][] = [
    [t('tickets.file.subject'), isolated(subject)],
    ...(category === null
      ? []
      : [[t('tickets.file.category'), isolated(category)] satisfies [string, string]]),
    ...answers.map(({ question, answer }): [string, string] => [question, isolated(answer)]),
    [t('tickets.file.opened'), timeOf(openedAt, locale)],
    ...(closedAt === null
      ? []
      : [[t('tickets.file.closed'), timeOf(closedAt, locale)] satisfies [string, string]]),
  ];
  return facts.map(([name, value]) => `<dt>${isolated(name)}</dt><dd>${value}</dd>`).join('');
}

function itemOf(message: TranscriptMessage, writer: Writer): string {
  const { t, locale } = writer;
  const { text, attachments } = message;
  const bot =
    message.author_is_bot === true ? ` <span class="soft">${escaped(t('tickets.file.bot'))}</span>` : '';
  const files = attachments.map(isolated).join(', ');
  return [
    `<li id="m${escaped(message.id)}">${replyOf(message, writer)}`,
    `<strong>${isolated(message.author_name === '' ? '–' : message.author_name)}</strong>${bot} `,
    `<span class="soft">${timeOf(new Date(message.sent_at), locale)}</span>`,
    text === ''
      ? ''
      : `<div class="text" dir="auto">${readMarkdown(text).map(htmlIn(writer)).join('')}</div>`,
    text === '' && files === '' ? `<div class="soft">${escaped(t('tickets.file.hiddenText'))}</div>` : '',
    files === '' ? '' : `<div class="soft">${escaped(t('tickets.file.attachments'))}: ${files}</div>`,
    '</li>',
  ].join('');
}

function replyOf({ reply_to: id }: TranscriptMessage, { t, kept }: Writer): string {
  if (typeof id !== 'string') return '';
  const to = kept.get(id);
  const said =
    to === undefined
      ? escaped(t('tickets.file.replyGone'))
      : `<a href="#m${escaped(id)}">${isolated(t('tickets.file.replyTo', { name: to.author_name }))}</a> ` +
        isolated(to.text.slice(0, MOST_QUOTED).toWellFormed());
  return `<div class="soft">${said}</div>`;
}

const ELEMENTS = { bold: 'strong', italic: 'em', underline: 'u', strike: 's', quote: 'blockquote' } as const;

function htmlIn(writer: Writer): (node: Markdown) => string {
  const html = (node: Markdown): string => {
    switch (node.type) {
      case 'text':
      case 'emoji':
        return written(node.text);
      case 'code':
        return `<code>${written(node.text)}</code>`;
      case 'block':
        return `<pre>${written(node.text)}</pre>`;
      case 'link':
        // Only http and https: the reader of Discord's markdown finds no other links.
        return `<a href="${escaped(node.text)}" rel="noopener noreferrer nofollow">${written(node.text)}</a>`;
      case 'user':
      case 'role':
        return mention('@', writer.names[node.id] ?? node.id);
      case 'channel':
        return mention('#', writer.names[node.id] ?? node.id);
      case 'time':
        return timeOf(new Date(node.iso), writer.locale);
      case 'spoiler':
        return `<span class="spoiler" tabindex="0">${node.children.map(html).join('')}</span>`;
      default: {
        const element = ELEMENTS[node.type];
        return `<${element}>${node.children.map(html).join('')}</${element}>`;
      }
    }
  };
  return html;
}

const mention = (sign: string, name: string) => `<span class="mention">${sign}${isolated(name)}</span>`;

function timeOf(at: Date, locale: Locale): string {
  const said = formatOf(locale).format(at);
  return `<time datetime="${at.toISOString()}">${escaped(said)}</time>`;
}

const formats = new Map<Locale, Intl.DateTimeFormat>();

/** One for all messages: to make one takes longer than to use it. */
function formatOf(locale: Locale): Intl.DateTimeFormat {
  const made =
    formats.get(locale) ??
    new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
  formats.set(locale, made);
  return made;
}

/** What somebody wrote, with the characters written out that nobody sees: they could turn it around. */
const written = (text: string) => escaped(showUnseen(text, '\n\t'));

/** The same, in a direction of its own that changes nothing around it. */
const isolated = (text: string) => `<bdi>${written(text)}</bdi>`;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
