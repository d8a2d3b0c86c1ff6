/**
 * A record as an archive of Bailiff's holds it and the dashboard's API takes it (docs/archive-format.md). Whoever takes
 * it checks it with `readImportRow`.
 */
export type SourceRow = Readonly<Record<string, unknown>> & {
  readonly type: 'case' | 'note' | 'end' | 'ticket' | 'messages' | 'identity';
};

/** Why a part of a file does not come. */
export const IMPORT_PROBLEMS = [
  /** It is longer than {@link MOST_PART_CHARACTERS}. */
  'too_long',
  /** It cannot be read, or a field that is needed is missing. */
  'unreadable',
  'unknown_kind',
  'bad_person',
  'bad_time',
  'in_future',
  /** A text that is too long, or that cannot be stored. */
  'bad_text',
  /** It is a part of a transcript that is longer than a transcript may be. */
  'transcript_too_long',
  /** It is a part of a transcript, and its ticket did not come or was opened again since. */
  'no_ticket',
  /** Its source has deleted it, or it is something that has no record here. */
  'left_out',
] as const;
export type ImportProblem = (typeof IMPORT_PROBLEMS)[number];

/** A record of a file, or why a part of it is none. */
export type SourceLine = {
  /** The line of the file where it begins, from 1. */
  readonly line: number;
} & ({ readonly row: SourceRow } | { readonly problem: ImportProblem });

/** The longest part of a file that is read as one record, in characters. */
export const MOST_PART_CHARACTERS = 120_000;

/** The longest reason of a case, and the longest piece of a note that the rest goes into. */
const MOST_REASON = 512;
const NOTE_PIECE = 1_000;

/**
 * A case, and notes on its person with what its reason has no room for. Nothing of a text is lost.
 *
 * @param text the reason, of any length
 */
export function caseWithText(row: SourceRow & { readonly id: string }, text: string): SourceRow[] {
  const whole = text.trim();
  if (whole.length <= MOST_REASON) return [{ ...row, reason: whole === '' ? null : whole }];
  const pieces = piecesOf(whole, NOTE_PIECE);
  const notes = pieces.map((piece, index) => ({
    type: 'note' as const,
    id: `${row.id}/${index + 1}`,
    user_id: row.user_id,
    text: piece,
    written_by: row.issued_by,
    written_at: row.issued_at,
  }));
  return [{ ...row, reason: `${piecesOf(whole, MOST_REASON - 1)[0]}…` }, ...notes];
}

/** A text in pieces of at most so many characters. No pair of surrogates is separated. */
export function piecesOf(text: string, most: number): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    let to = Math.min(from + most, text.length);
    const last = text.charCodeAt(to - 1);
    if (to < text.length && last >= 0xd800 && last <= 0xdbff) to -= 1;
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}

/**
 * A moment as other bots write it, in ISO 8601 or as PostgreSQL does. Without a zone it is UTC. What is none stays as it
 * is: of 01/02/2026 nobody knows which of the two is the day, and 30 February is no day.
 */
export function utc(moment: unknown): unknown {
  if (typeof moment !== 'string') return moment;
  // PostgreSQL writes +01, which the parser does not take.
  const text = moment
    .trim()
    .replace(' ', 'T')
    .replace(/(:\d{2}(?:\.\d+)?[+-]\d{2})$/, '$1:00');
  if (!/^\d{4}-\d{2}-\d{2}(?:T|$)/.test(text)) return moment;
  const hasZone = /(?:Z|[+-]\d{2}:?\d{2})$/i.test(text);
  const parsed = new Date(hasZone || !text.includes('T') ? text : `${text}Z`);
  if (Number.isNaN(parsed.getTime())) return moment;
  // The parser takes 30 February for 2 March.
  const day = text.slice(0, 10);
  return new Date(day).toISOString().startsWith(day) ? parsed.toISOString() : moment;
}
