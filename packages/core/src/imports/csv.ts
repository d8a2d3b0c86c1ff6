import { csvRecords } from './parts.ts';
import { caseWithText, type SourceLine, type SourceRow, utc } from './source-row.ts';

/** The columns that a CSV file can have; the first three it must have. */
export const CSV_COLUMNS = [
  'kind',
  'user_id',
  'issued_at',
  'id',
  'reason',
  'issued_by',
  'expires_at',
  'ended_at',
  'ended_by',
  'end_reason',
  'severity',
  'category',
] as const;
const NEEDED = 3;
const MOMENTS: ReadonlySet<string> = new Set(['issued_at', 'expires_at', 'ended_at']);

/** The cases and notes of a CSV file whose first line names {@link CSV_COLUMNS}, in any order. */
export async function* readCsv(chunks: AsyncIterable<string>): AsyncGenerator<SourceLine> {
  let names: readonly string[] | null = null;
  for await (const { line, cells, isOpen } of csvRecords(chunks)) {
    if (cells === null) yield { line, problem: 'too_long' };
    else if (isOpen) yield { line, problem: 'unreadable' };
    else if (names === null) {
      names = cells.map((cell) => cell.replace('\ufeff', '').trim().toLowerCase());
      if (CSV_COLUMNS.slice(0, NEEDED).some((column) => !names?.includes(column))) {
        yield { line, problem: 'unreadable' };
        return;
      }
    } else {
      for (const row of rowsOf(names, cells)) yield { line, row };
    }
  }
}

function rowsOf(names: readonly string[], cells: readonly string[]): SourceRow[] {
  const fields: Record<string, unknown> = {};
  for (const column of CSV_COLUMNS) {
    const cell = cells[names.indexOf(column)]?.trim() ?? '';
    if (cell !== '') fields[column] = MOMENTS.has(column) ? utc(cell) : cell;
  }
  const { id, kind: name, reason, issued_by, issued_at, ...rest } = fields;
  const kind = String(name).toLowerCase();
  const text = typeof reason === 'string' ? reason : '';
  // Without an id of its own, a row is known again by what it says.
  const ownId = typeof id === 'string' ? id : identityOf(fields);
  if (kind === 'note') {
    const { user_id } = rest;
    return [{ type: 'note', id: ownId, user_id, text, written_by: issued_by, written_at: issued_at }];
  }
  return caseWithText({ type: 'case', id: ownId, kind, issued_by, issued_at, ...rest }, text);
}

/** A short text that is equal for equal fields: two hashes of 53 bits (cyrb53), which is enough to tell rows apart. */
function identityOf(fields: Readonly<Record<string, unknown>>): string {
  const text = JSON.stringify(fields);
  return `${hash53(text, 1).toString(36)}-${hash53(text, 2).toString(36)}`;
}

function hash53(text: string, seed: number): number {
  let one = 0xdeadbeef ^ seed;
  let other = 0x41c6ce57 ^ seed;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    one = Math.imul(one ^ code, 2654435761);
    other = Math.imul(other ^ code, 1597334677);
  }
  one = Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(other ^ (other >>> 13), 3266489909);
  other = Math.imul(other ^ (other >>> 16), 2246822507) ^ Math.imul(one ^ (one >>> 13), 3266489909);
  return 4294967296 * (2097151 & other) + (one >>> 0);
}
