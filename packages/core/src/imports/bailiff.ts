import { textLines } from './parts.ts';
import type { SourceLine, SourceRow } from './source-row.ts';

/** What the first line of an archive says it is. Another version is another format. */
export const ARCHIVE_FORMAT = 'bailiff-archive';
export const ARCHIVE_VERSION = 1;

/**
 * The records of an archive that a Bailiff exported (docs/archive-format.md). What it cannot take, such as settings, is
 * left out. A file without the first line of an archive has none.
 */
export async function* readBailiffArchive(chunks: AsyncIterable<string>): AsyncGenerator<SourceLine> {
  let isArchive = false;
  for await (const { line, text } of textLines(chunks)) {
    if (text === null) {
      yield { line, problem: 'too_long' };
      continue;
    }
    const value = objectIn(text);
    if (line === 1 && value?.format === ARCHIVE_FORMAT && value.version === ARCHIVE_VERSION) {
      isArchive = true;
    } else if (!isArchive || value === null || typeof value.type !== 'string') {
      yield { line, problem: 'unreadable' };
    } else if (isRecord(value)) {
      yield { line, row: value };
    } else {
      yield { line, problem: 'left_out' };
    }
  }
}

/** The object that a text of JSON is; null if it is none. */
export function objectIn(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return null;
  }
}

/** The fields of a value; null if it is no object. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
}

const RECORDS: ReadonlySet<unknown> = new Set([
  'case',
  'note',
  'end',
  'ticket',
  'messages',
  'identity',
] satisfies SourceRow['type'][]);

function isRecord(value: Readonly<Record<string, unknown>>): value is SourceRow {
  return RECORDS.has(value.type);
}
