import { MOST_PART_CHARACTERS } from './source-row.ts';

/** A part of a file: its text, or null if it is too long. */
export interface Part {
  /** The line where it begins, from 1. */
  readonly line: number;
  readonly text: string | null;
}

const [QUOTE, BACKSLASH, NEWLINE, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [34, 92, 10, 123, 125, 91, 93];

/**
 * The texts of the JSON objects that lie inside of so many others, as they come: in a file of lines 0, in a list 1, in
 * a list inside of an object 2. `'list or lines'` is 1 for a file that begins with `[`, and else 0. No more than one of
 * them is kept at a time. What lies between them is passed over.
 */
export async function* jsonObjects(
  chunks: AsyncIterable<string>,
  inside: number | 'list or lines',
): AsyncGenerator<Part> {
  let wanted = inside === 'list or lines' ? null : inside;
  let depth = 0;
  let line = 1;
  let begunAt = 1;
  let isText = false;
  let isEscaped = false;
  /** What came of the present object with earlier chunks; null outside of one. */
  let kept: string | null = null;
  let isTooLong = false;
  for await (const chunk of chunks) {
    let from = 0;
    const keep = (to: number) => {
      if (kept === null) return;
      isTooLong ||= kept.length + to - from > MOST_PART_CHARACTERS;
      if (!isTooLong) kept += chunk.slice(from, to);
    };
    for (let at = 0; at < chunk.length; at += 1) {
      const code = chunk.charCodeAt(at);
      if (code === NEWLINE) line += 1;
      if (isText) {
        if (isEscaped) isEscaped = false;
        else if (code === BACKSLASH) isEscaped = true;
        // A text of JSON has no line break, so one that was never closed spoils one line.
        else if (code === QUOTE || code === NEWLINE) isText = false;
      } else if (code === QUOTE) isText = true;
      else if (code === OPEN || code === OPEN_LIST) {
        wanted ??= code === OPEN_LIST ? 1 : 0;
        if (code === OPEN && depth === wanted) {
          [kept, isTooLong, begunAt, from] = ['', false, line, at];
        }
        depth += 1;
      } else if (code === CLOSE || code === CLOSE_LIST) {
        depth = Math.max(0, depth - 1);
        if (code === CLOSE && depth === wanted && kept !== null) {
          keep(at + 1);
          yield { line: begunAt, text: isTooLong ? null : kept };
          kept = null;
        }
      }
    }
    keep(chunk.length);
  }
  if (kept !== null) yield { line: begunAt, text: null };
}

/** A line of a file without its break, as it comes. Empty ones are passed over. */
export async function* textLines(chunks: AsyncIterable<string>): AsyncGenerator<Part> {
  let line = 0;
  let kept = '';
  let isTooLong = false;
  for await (const chunk of chunks) {
    let from = 0;
    for (let to = chunk.indexOf('\n'); to >= 0; to = chunk.indexOf('\n', from)) {
      line += 1;
      isTooLong ||= kept.length + to - from > MOST_PART_CHARACTERS;
      const text = isTooLong ? null : (kept + chunk.slice(from, to)).trim();
      if (text !== '') yield { line, text };
      [kept, isTooLong, from] = ['', false, to + 1];
    }
    isTooLong ||= kept.length + chunk.length - from > MOST_PART_CHARACTERS;
    if (!isTooLong) kept += chunk.slice(from);
  }
  const text = isTooLong ? null : kept.trim();
  if (text !== '') yield { line: line + 1, text };
}

/** A record of a CSV file: its cells, or null if it is too long. */
export interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[] | null;
  /** A quotation in it is never closed, so it has taken in all records that follow. */
  readonly isOpen?: true;
}

/** The records of a CSV file (RFC 4180), separated by commas or semicolons, whichever its first line has more of. */
export async function* csvRecords(chunks: AsyncIterable<string>): AsyncGenerator<CsvRecord> {
  let separator: string | null = null;
  let line = 1;
  let begunAt = 1;
  let cells: string[] = [];
  let cell = '';
  let length = 0;
  let state: 'plain' | 'quoted' | 'maybe closed' = 'plain';
  let first = '';
  const end = (): CsvRecord => {
    const isTooLong = length > MOST_PART_CHARACTERS;
    return { line: begunAt, cells: isTooLong ? null : [...cells, cell] };
  };
  const isEmpty = () => cells.length === 0 && cell.trim() === '' && length <= MOST_PART_CHARACTERS;
  const put = (character: string) => {
    length += 1;
    if (length <= MOST_PART_CHARACTERS) cell += character;
  };
  for await (const chunk of withFirstLine(chunks)) {
    if (separator === null) {
      [first = ''] = chunk.split('\n', 1);
      separator = first.split(';').length > first.split(',').length ? ';' : ',';
    }
    for (const character of chunk) {
      if (character === '\n') line += 1;
      if (state === 'maybe closed') {
        state = character === '"' ? 'quoted' : 'plain';
        if (character === '"') {
          put('"');
          continue;
        }
      }
      if (state === 'quoted') {
        if (character === '"') state = 'maybe closed';
        else put(character);
      } else if (character === '"' && cell === '') state = 'quoted';
      else if (character === separator) {
        length += 1;
        if (length <= MOST_PART_CHARACTERS) cells.push(cell);
        cell = '';
      } else if (character === '\n') {
        if (!isEmpty()) yield end();
        [cells, cell, length, begunAt] = [[], '', 0, line];
      } else if (character !== '\r') put(character);
    }
  }
  if (!isEmpty()) yield state === 'quoted' ? { ...end(), isOpen: true } : end();
}

/** The same text in chunks, of which the first has the first line, if it is not too long. */
async function* withFirstLine(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let waiting: string | null = '';
  for await (const chunk of chunks) {
    if (waiting === null) {
      yield chunk;
      continue;
    }
    waiting += chunk;
    if (!waiting.includes('\n') && waiting.length < MOST_PART_CHARACTERS) continue;
    yield waiting;
    waiting = null;
  }
  if (waiting !== null && waiting !== '') yield waiting;
}
