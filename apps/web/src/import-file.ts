import { FILE_SOURCES, type FileSource, type ImportProblem, type SourceRow } from '@bailiff/core/imports';

/** As the server takes them: `MOST_ROWS_OF_STEP`, and less than its largest body. */
const MOST_ROWS = 500;
const MOST_CHARACTERS = 60_000;

/** The server refuses a longer name of a file, so only its end is sent. */
const MOST_NAME_CHARACTERS = 64;

/** What an import calls a file. Half of a character, as an emoji that is cut, would be refused. */
export function nameOfFile({ name }: Pick<File, 'name'>): string {
  return name.slice(-MOST_NAME_CHARACTERS).toWellFormed();
}

/** What became of a row, as the server answers. */
export interface Fate {
  readonly fate: 'new' | 'known' | 'duplicate' | 'full' | 'refused';
  readonly case_number?: number | null;
  readonly problem?: ImportProblem;
}

/** What became of a part of a file that begins in this line. */
export interface LineFate extends Fate {
  readonly line: number;
  readonly id?: unknown;
}

/**
 * Reads a file and sends its rows step by step. Returns the fate of each, in the order of the file.
 *
 * @param send sends rows and returns the fate of each; null if it failed, which ends the import.
 * @param onProgress is told how many lines have a fate.
 * @returns null if sending failed
 */
export async function sendFile(
  chunks: AsyncIterable<string>,
  source: FileSource,
  send: (rows: readonly SourceRow[]) => Promise<readonly Fate[] | null>,
  onProgress: (lines: number) => void,
): Promise<LineFate[] | null> {
  const fates: LineFate[] = [];
  const seen = new Set<string>();
  let waiting: { readonly place: number; readonly row: SourceRow }[] = [];
  let characters = 0;
  const flush = async (): Promise<boolean> => {
    const answered = waiting.length === 0 ? [] : await send(waiting.map(({ row }) => row));
    if (answered === null) return false;
    for (const [index, { place }] of waiting.entries()) Object.assign(fates[place] ?? {}, answered[index]);
    [waiting, characters] = [[], 0];
    onProgress(fates.length);
    return true;
  };
  for await (const part of FILE_SOURCES[source](chunks, new Date())) {
    if ('problem' in part) {
      fates.push({ line: part.line, fate: 'refused', problem: part.problem });
      continue;
    }
    const { line, row } = part;
    const key = nameOf(row);
    const size = JSON.stringify(row).length;
    // The server compares only the rows of a step.
    if (seen.has(key)) fates.push({ line, id: row.id, fate: 'duplicate' });
    else {
      seen.add(key);
      if (waiting.length === MOST_ROWS || characters + size > MOST_CHARACTERS) {
        if (!(await flush())) return null;
      }
      waiting.push({ place: fates.push({ line, id: row.id, fate: 'refused' }) - 1, row });
      characters += size;
    }
  }
  return (await flush()) ? fates : null;
}

/** What tells a row from the others of its file. A part of a transcript has no id of its own. */
function nameOf(row: SourceRow): string {
  if (row.type === 'messages') return `messages ${String(row.ticket_id)} ${String(row.part)}`;
  if (row.type === 'identity') return `identity ${String(row.platform)} ${String(row.in_game_id)}`;
  return `${row.type === 'note'} ${String(row.id)}`;
}

/** How many rows have each fate. */
export function countFates(fates: readonly Fate[]): Record<'come' | 'known' | 'refused', number> {
  const counts = { come: 0, known: 0, refused: 0 };
  for (const { fate } of fates) {
    if (fate === 'new') counts.come += 1;
    else if (fate === 'known' || fate === 'duplicate') counts.known += 1;
    else counts.refused += 1;
  }
  return counts;
}

/** The bytes of a file are no UTF-8. */
export class NotUtf8 extends Error {}

/**
 * The text of a file, as it comes.
 *
 * @throws NotUtf8
 */
export async function* textOf(file: Blob): AsyncGenerator<string> {
  const reader = file.stream().getReader();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decoded = (...part: Parameters<typeof decoder.decode>) => {
    try {
      return decoder.decode(...part);
    } catch (error) {
      throw new NotUtf8('The file is not UTF-8.', { cause: error });
    }
  };
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    yield decoded(value, { stream: true });
  }
  yield decoded();
}
