import { fieldsOf, objectIn } from './bailiff.ts';
import { jsonObjects } from './parts.ts';
import { caseWithText, piecesOf, type SourceLine, type SourceRow, utc } from './source-row.ts';

/** `CaseTypes` of Zeppelin (backend/src/data/CaseTypes.ts). */
const KINDS: Readonly<Record<number, string>> = {
  1: 'ban',
  4: 'warning',
  5: 'kick',
  6: 'mute',
  9: 'softban',
};
const ENDS: Readonly<Record<number, string>> = { 2: 'ban', 7: 'mute' };
const NOTE = 3;
const DELETED = 8;
const MOST_NOTE = 1_000;

/**
 * The cases of what Zeppelin's dashboard exports: an object with a list `cases`, in the order of their numbers
 * (backend/src/api/guilds/importExport.ts). The notes of a case are its reason. A case that ends a ban or a mute ends
 * those that came before.
 */
export async function* readZeppelinExport(chunks: AsyncIterable<string>): AsyncGenerator<SourceLine> {
  for await (const { line, text } of jsonObjects(chunks, 2)) {
    if (text === null) {
      yield { line, problem: 'too_long' };
      continue;
    }
    const value = objectIn(text);
    const { case_number: number, type, notes } = value ?? {};
    if (value === null || typeof number !== 'number' || typeof type !== 'number') {
      yield { line, problem: 'unreadable' };
    } else if (type === DELETED) {
      yield { line, problem: 'left_out' };
    } else {
      for (const row of rowsOf(String(number), type, value, Array.isArray(notes) ? notes : []))
        yield { line, row };
    }
  }
}

function rowsOf(
  id: string,
  type: number,
  { user_id, mod_id, created_at }: Readonly<Record<string, unknown>>,
  notes: readonly unknown[],
): SourceRow[] {
  const bodies = notes.flatMap((note) => {
    const body = fieldsOf(note)?.body;
    return typeof body === 'string' && body.trim() !== '' ? [body.trim()] : [];
  });
  const text = bodies.join('\n');
  const at = utc(created_at);
  const ended = ENDS[type];
  if (ended !== undefined) {
    const [reason = null] = piecesOf(text, 512);
    return [{ type: 'end', id, kind: ended, user_id, ended_by: mod_id, ended_at: at, end_reason: reason }];
  }
  if (type === NOTE) {
    return piecesOf(text, MOST_NOTE).map((piece, index) => ({
      type: 'note' as const,
      id: index === 0 ? id : `${id}/${index + 1}`,
      user_id,
      text: piece,
      written_by: mod_id,
      written_at: at,
    }));
  }
  // A kind that Zeppelin does not have today is refused as such where rows are checked.
  const kind = KINDS[type] ?? String(type);
  return caseWithText({ type: 'case', id, kind, user_id, issued_by: mod_id, issued_at: at }, text);
}
