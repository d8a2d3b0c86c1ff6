// Reads the Markdown that our documents are written in, and refuses the rest (decisions: Documents in the product).
import { type Inline, plainText, type References, readInlines } from './inlines.ts';

/** A part of a document. */
export type Block =
  | {
      readonly type: 'heading';
      readonly depth: number;
      readonly id: string;
      readonly children: readonly Inline[];
    }
  | { readonly type: 'paragraph'; readonly children: readonly Inline[] }
  | { readonly type: 'list'; readonly ordered: boolean; readonly items: readonly (readonly Block[])[] }
  | { readonly type: 'code'; readonly language: string; readonly text: string }
  | { readonly type: 'table'; readonly head: readonly Cell[]; readonly rows: readonly (readonly Cell[])[] };

export type Cell = readonly Inline[];

const HEADING = /^(#{1,4}) (.+)$/;
const FENCE = /^```(\w*)$/;
const ITEM = /^(?:-|\d+\.) +(?=\S)/;
const REFERENCE = /^\[([\w-]+)\]: (\S+)$/gm;
const COMMENT = /^<!--[\s\S]*?-->\n?/gm;

/**
 * The parts of a document.
 *
 * @throws Error for what this reader does not know, such as HTML
 */
export function readMarkdown(source: string): Block[] {
  const references = new Map(
    [...source.matchAll(REFERENCE)].map(([, name = '', target = '']) => [name, target]),
  );
  const lines = source.replace(COMMENT, '').replace(REFERENCE, '').split('\n');
  return new Reader(references, idMaker()).blocks(lines);
}

/** Makes the id of a heading as GitHub does, so that a link fits here and there. */
function idMaker(): (title: string) => string {
  const seen = new Map<string, number>();
  return (title) => {
    const id = title
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    const times = seen.get(id) ?? 0;
    seen.set(id, times + 1);
    return times === 0 ? id : `${id}-${times}`;
  };
}

class Reader {
  readonly #references: References;
  readonly #idOf: (title: string) => string;

  constructor(references: References, idOf: (title: string) => string) {
    this.#references = references;
    this.#idOf = idOf;
  }

  blocks(lines: readonly string[]): Block[] {
    const blocks: Block[] = [];
    for (let at = 0; at < lines.length; ) {
      const line = lines[at] ?? '';
      if (line.trim() === '') {
        at += 1;
        continue;
      }
      const end = endOfBlock(lines, at);
      blocks.push(this.#block(line, lines.slice(at, end)));
      at = end;
    }
    return blocks;
  }

  #block(first: string, lines: readonly string[]): Block {
    const [, language] = FENCE.exec(first) ?? [];
    if (language !== undefined) return { type: 'code', language, text: lines.slice(1, -1).join('\n') };
    const [, marks, title = ''] = HEADING.exec(first) ?? [];
    if (marks !== undefined) {
      const children = this.#inlines(title);
      return { type: 'heading', depth: marks.length, id: this.#idOf(plainText(children)), children };
    }
    if (first.startsWith('|')) return this.#table(lines);
    if (ITEM.test(first)) return this.#list(lines);
    if (/^(?:\s|>|<(?!https?:)|~~~)/.test(first)) throw new Error(`This line cannot be read: ${first}`);
    return { type: 'paragraph', children: this.#inlines(lines.join('\n')) };
  }

  #inlines(text: string): Inline[] {
    return readInlines(text, this.#references);
  }

  #list(lines: readonly string[]): Block {
    const begins = lines.flatMap((line, index) => (ITEM.test(line) ? [index] : []));
    const items = begins.map((begin, index) => {
      const [first = '', ...rest] = lines.slice(begin, begins[index + 1]);
      const [mark = ''] = ITEM.exec(first) ?? [];
      return this.blocks([first.slice(mark.length), ...rest.map((line) => line.slice(mark.length))]);
    });
    return { type: 'list', ordered: /^\d/.test(lines[0] ?? ''), items };
  }

  #table(lines: readonly string[]): Block {
    const [head = [], rule = [], ...rows] = lines.map((line) =>
      line
        .replace(/^\||\|\s*$/g, '')
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim().replaceAll('\\|', '|')),
    );
    if (!rule.every((cell) => /^:?-+:?$/.test(cell))) throw new Error(`This table has no head: ${lines[0]}`);
    const uneven = rows.find((row) => row.length !== head.length);
    if (uneven !== undefined)
      throw new Error(`This row has not the columns of its table: ${uneven.join(' | ')}`);
    const cellsOf = (row: readonly string[]) => row.map((cell) => this.#inlines(cell));
    return { type: 'table', head: cellsOf(head), rows: rows.map(cellsOf) };
  }
}

/** Where the block ends that begins at a line. */
function endOfBlock(lines: readonly string[], begin: number): number {
  const first = lines[begin] ?? '';
  const firstThat = (ends: (line: string, at: number) => boolean): number => {
    const at = lines.findIndex((line, index) => index > begin && ends(line, index));
    return at === -1 ? lines.length : at;
  };
  if (HEADING.test(first)) return begin + 1;
  if (FENCE.test(first)) {
    const last = firstThat((line) => line === '```');
    if (last === lines.length) throw new Error(`This block of code does not end: ${first}`);
    return last + 1;
  }
  if (first.startsWith('|')) return firstThat((line) => !line.startsWith('|'));
  if (ITEM.test(first)) return firstThat((line, at) => endsList(first, line, lines[at - 1] ?? ''));
  return firstThat(
    (line) => line.trim() === '' || [HEADING, FENCE, /^- /, /^\|/].some((form) => form.test(line)),
  );
}

/** Whether a line is not part of the list that begins with `first`: neither an item of it nor indented under one. */
function endsList(first: string, line: string, before: string): boolean {
  if (line === '' || line.startsWith('  ')) return false;
  if (ITEM.test(line)) return /^\d/.test(line) !== /^\d/.test(first);
  if (before !== '') throw new Error(`This line of a list must be indented: ${line}`);
  return true;
}
