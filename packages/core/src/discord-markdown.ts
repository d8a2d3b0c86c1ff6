/** A Discord message as a tree. Each part is rendered as text, so nothing in it becomes HTML. */
export type Markdown =
  | { readonly type: 'text' | 'code' | 'link' | 'emoji'; readonly text: string }
  | { readonly type: 'block'; readonly text: string }
  | { readonly type: Emphasis | 'quote'; readonly children: readonly Markdown[] }
  | { readonly type: 'user' | 'role' | 'channel'; readonly id: string }
  | { readonly type: 'time'; readonly iso: string };

type Emphasis = 'bold' | 'italic' | 'underline' | 'strike' | 'spoiler';

const EMPHASES: Readonly<Record<string, Emphasis>> = {
  '**': 'bold',
  '*': 'italic',
  _: 'italic',
  __: 'underline',
  '~~': 'strike',
  '||': 'spoiler',
};

const TOKEN =
  /\\([\\*_~|`<>#-])|`([^`\n]+)`|<@!?(\d{17,20})>|<@&(\d{17,20})>|<#(\d{17,20})>|<a?:(\w{1,32}):\d{17,20}>|<t:(\d{1,11})(?::[tTdDfFR])?>|(https?:\/\/[^\s<>]+)|\*\*|__|~~|\|\||\*|_/g;

/** What belongs to the sentence and not to the link before it. */
const PUNCTUATION = new Set('.,!?:;)\'"]*_~|');

const FENCE = '```';

/**
 * The tree of a message. It covers the Discord markdown of conversations: emphasis, code, quotes, links, mentions,
 * emoji and times. Anything else stays as written. The time is linear in the length of the text.
 */
export function readMarkdown(text: string): Markdown[] {
  const parts = text.split(FENCE);
  // Without a closing fence, the opening one is plain text.
  const closed = parts.length % 2 === 1 ? parts : [...parts.slice(0, -2), parts.slice(-2).join(FENCE)];
  return closed.flatMap((part, index) => (index % 2 === 1 ? [blockOf(part)] : linesOf(part)));
}

/** If the first line is one word, it names the language of the code. */
function blockOf(text: string): Markdown {
  return { type: 'block', text: text.replace(/^[\w+-]{0,20}\n/, '').replace(/\n$/, '') };
}

function linesOf(text: string): Markdown[] {
  const nodes: Markdown[] = [];
  let plain: string[] = [];
  let quoted: string[] = [];
  const flush = () => {
    if (plain.length > 0) nodes.push(...inline(plain.join('\n'), new Set()));
    if (quoted.length > 0) nodes.push({ type: 'quote', children: inline(quoted.join('\n'), new Set()) });
    plain = [];
    quoted = [];
  };
  for (const line of text.split('\n')) {
    const isQuote = line.startsWith('> ');
    if (isQuote ? plain.length > 0 : quoted.length > 0) flush();
    if (isQuote) quoted.push(line.slice(2));
    else plain.push(line);
  }
  flush();
  return nodes;
}

/**
 * The nodes of a text. `within` holds the marks that are open around it: no mark is nested in itself, which bounds the
 * depth.
 */
function inline(text: string, within: ReadonlySet<string>): Markdown[] {
  const nodes: Markdown[] = [];
  const token = new RegExp(TOKEN);
  const unclosed = new Set<string>();
  let at = 0;
  const say = (said: string) => {
    const last = nodes.at(-1);
    if (last?.type === 'text') nodes[nodes.length - 1] = { type: 'text', text: last.text + said };
    else if (said !== '') nodes.push({ type: 'text', text: said });
  };
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    say(text.slice(at, found.index));
    at = token.lastIndex;
    const [mark] = found;
    const node = nodeOf(found);
    if (node !== null) {
      nodes.push(node);
      at = found.index + lengthOf(node, mark);
    } else if (found[1] !== undefined) {
      say(found[1]);
    } else {
      const end = within.has(mark) || unclosed.has(mark) ? -1 : closing(text, mark, found.index);
      const emphasis = EMPHASES[mark];
      if (end === -1 || emphasis === undefined) {
        unclosed.add(mark);
        say(mark);
      } else {
        nodes.push({ type: emphasis, children: inline(text.slice(at, end), new Set([...within, mark])) });
        at = end + mark.length;
      }
    }
    token.lastIndex = at;
  }
  say(text.slice(at));
  return nodes;
}

/**
 * The length of a node in the text. A link is shorter than its match, because the punctuation after it belongs to the
 * sentence.
 */
function lengthOf(node: Markdown, found: string): number {
  return node.type === 'link' ? node.text.length : found.length;
}

function nodeOf(found: RegExpExecArray): Markdown | null {
  const [, , code, user, role, channel, emoji, seconds, address] = found;
  if (code !== undefined) return { type: 'code', text: code };
  if (user !== undefined) return { type: 'user', id: user };
  if (role !== undefined) return { type: 'role', id: role };
  if (channel !== undefined) return { type: 'channel', id: channel };
  if (emoji !== undefined) return { type: 'emoji', text: `:${emoji}:` };
  if (seconds !== undefined) return { type: 'time', iso: new Date(Number(seconds) * 1000).toISOString() };
  if (address === undefined) return null;
  const text = withoutPunctuation(address);
  return URL.canParse(text) ? { type: 'link', text } : { type: 'text', text: address };
}

/** An address without the punctuation at its end. An expression that ends in `$` would try from each character. */
function withoutPunctuation(address: string): string {
  let end = address.length;
  while (PUNCTUATION.has(address.charAt(end - 1))) end -= 1;
  return address.slice(0, end);
}

/**
 * The index at which the emphasis that begins here ends; -1 if it is not emphasis, such as an underscore within a word.
 */
function closing(text: string, mark: string, index: number): number {
  const from = index + mark.length;
  const isUnderscore = mark === '_';
  if (isUnderscore && /\w/.test(text[index - 1] ?? '')) return -1;
  if (mark.length === 1 && /^\s?$/.test(text[from] ?? '')) return -1;
  for (let end = text.indexOf(mark, from + 1); end !== -1; end = text.indexOf(mark, end + mark.length)) {
    const before = text[end - 1] ?? '';
    const after = text[end + mark.length] ?? '';
    if (mark.length === 1 && (before === mark || after === mark || /\s/.test(before))) continue;
    if (isUnderscore && /\w/.test(after)) continue;
    return end;
  }
  return -1;
}
