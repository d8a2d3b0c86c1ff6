/** A part of a line of text. A plain string is text. */
export type Inline =
  | string
  | { readonly type: 'code'; readonly text: string }
  | { readonly type: 'strong' | 'emphasis'; readonly children: readonly Inline[] }
  | { readonly type: 'link'; readonly target: string; readonly children: readonly Inline[] }
  | { readonly type: 'picture'; readonly target: string; readonly alt: string };

/** The addresses of `[text][name]`, by name. */
export type References = ReadonlyMap<string, string>;

const TOKEN =
  /``\s?(?<ticked>.+?)\s?``|`(?<code>[^`]+)`|(?<picture>!?)\[(?<label>(?:[^[\]]|\[[^\]]*\])*)\](?:\((?<target>[^()\s]+)\)|\[(?<name>[\w-]+)\])|<(?<address>https?:[^>\s]+)>|\*\*(?<strong>[^*]+(?:\*[^*]+\*[^*]*)*)\*\*|(?<![\w*])\*(?<emphasis>[^*\s](?:[^*]*[^*\s])?)\*(?!\w)|\\(?<escaped>[\\`*[\]|<>])/g;

/** What only stands in a text when something was written that {@link readInlines} does not know. */
const UNREAD = /`|\*\*|\]\(|\]\[|<\/?[a-z]/i;

/**
 * The parts of a Markdown text.
 *
 * @throws Error for what this reader does not know
 */
export function readInlines(text: string, references: References): Inline[] {
  const parts: Inline[] = [];
  let end = 0;
  const addText = (plain: string) => {
    if (UNREAD.test(plain)) throw new Error(`This part of a text cannot be read: ${plain}`);
    if (plain !== '') parts.push(plain.replaceAll('\n', ' '));
  };
  for (const match of text.matchAll(TOKEN)) {
    addText(text.slice(end, match.index));
    end = match.index + match[0].length;
    parts.push(readToken(match.groups ?? {}, references));
  }
  addText(text.slice(end));
  return parts;
}

function readToken(token: Readonly<Record<string, string | undefined>>, references: References): Inline {
  const code = token.ticked ?? token.code;
  if (code !== undefined) return { type: 'code', text: code.replaceAll('\n', ' ') };
  if (token.escaped !== undefined) return token.escaped;
  if (token.address !== undefined) return { type: 'link', target: token.address, children: [token.address] };
  if (token.strong !== undefined) return { type: 'strong', children: readInlines(token.strong, references) };
  if (token.emphasis !== undefined)
    return { type: 'emphasis', children: readInlines(token.emphasis, references) };
  const { label = '', name = '' } = token;
  const target = token.target ?? references.get(name);
  if (target === undefined) throw new Error(`No line says what [${name}] is.`);
  if (token.picture === '!') return { type: 'picture', target, alt: label.replaceAll('\n', ' ') };
  return { type: 'link', target, children: readInlines(label, references) };
}

/** The words alone. */
export function plainText(inlines: readonly Inline[]): string {
  return inlines
    .map((inline) => {
      if (typeof inline === 'string') return inline;
      switch (inline.type) {
        case 'code':
          return inline.text;
        case 'picture':
          return inline.alt;
        default:
          return plainText(inline.children);
      }
    })
    .join('');
}
