import type { View } from '../src/page/wire.ts';
import { type Child, h, timeOf } from './dom.ts';

/** Names for ids, as the guild knows them. */
export type NameOf = (id: string) => string;

export function nameIn(seen: View): NameOf {
  return (id) =>
    seen.names[id] ??
    [...seen.members, ...seen.roles, ...seen.channels].find((each) => each.id === id)?.name ??
    id;
}

const INLINE = new RegExp(
  [
    '\\\\([^a-zA-Z0-9\\s])',
    '```(?:\\w*\\n)?([^]*?)```',
    '`([^`]+)`',
    '\\*\\*([^]+?)\\*\\*(?!\\*)',
    '__([^]+?)__(?!_)',
    '~~([^]+?)~~',
    '\\|\\|([^]+?)\\|\\|',
    '\\*([^*\\s][^*]*?)\\*',
    '\\b_([^_\\s][^_]*?)_\\b',
    '<(@!?|@&|#)(\\d{17,20})>',
    '<t:(\\d{1,11})(?::\\w)?>',
    '\\[([^\\]]+)\\]\\((https?:[^\\s)]+)\\)',
    '(https?:\\/\\/[^\\s<>]+[^\\s<>.,:;!?)])',
  ].join('|'),
  'g',
);

/** A text as Discord shows it: its Markdown, mentions by name, times. */
export function formatted(content: string, nameOf: NameOf): Child[] {
  // A block of code keeps its lines; everything else goes line by line.
  return content.split(/(```.*?```)\n?/s).flatMap((piece) => {
    if (piece.startsWith('```')) return inline(piece, nameOf);
    return piece
      .split('\n')
      .flatMap((line, index) => [...(index > 0 ? ['\n'] : []), ...lineOf(line, nameOf)]);
  });
}

function lineOf(line: string, nameOf: NameOf): Child[] {
  const [, mark = '', rest = ''] = /^(>|#{1,3}|-#) (.*)$/.exec(line) ?? [];
  if (mark === '') return inline(line, nameOf);
  if (mark === '>') return [h('span', { class: 'quote' }, ...inline(rest, nameOf))];
  return [h('span', { class: mark === '-#' ? 'small' : 'heading' }, ...inline(rest, nameOf))];
}

function inline(text: string, nameOf: NameOf): Child[] {
  const parts: Child[] = [];
  let at = 0;
  for (const match of text.matchAll(INLINE)) {
    parts.push(text.slice(at, match.index), partOf(match, nameOf));
    at = match.index + match[0].length;
  }
  return [...parts, text.slice(at)];
}

function partOf(match: RegExpExecArray, nameOf: NameOf): Child {
  const [
    all,
    escaped,
    block,
    code,
    bold,
    under,
    struck,
    spoiler,
    star,
    bar,
    kind,
    id = '',
    seconds,
    label,
    to,
    url,
  ] = match;
  if (escaped !== undefined) return escaped;
  if (block !== undefined) return h('code', { class: 'block' }, block);
  if (code !== undefined) return h('code', null, code);
  if (bold !== undefined) return h('strong', null, ...inline(bold, nameOf));
  if (under !== undefined) return h('u', null, ...inline(under, nameOf));
  if (struck !== undefined) return h('s', null, ...inline(struck, nameOf));
  if (spoiler !== undefined) return h('span', { class: 'spoiler' }, ...inline(spoiler, nameOf));
  const italic = star ?? bar;
  if (italic !== undefined) return h('em', null, ...inline(italic, nameOf));
  if (kind !== undefined) return h('span', { class: 'mention' }, `${kind === '#' ? '#' : '@'}${nameOf(id)}`);
  if (seconds !== undefined) return timeOf(new Date(Number(seconds) * 1000).toISOString());
  const address = to ?? url;
  if (address === undefined) return all;
  return h('a', { href: address, rel: 'noreferrer noopener', target: '_blank' }, label ?? address);
}
