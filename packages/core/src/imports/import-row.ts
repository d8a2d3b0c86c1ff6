import { z } from 'zod';
import { CASE_KINDS } from '../case-kinds.ts';
import { MOST_NOTE_CHARACTERS } from '../operations/notes.ts';
import { SEVERITIES, text } from '../operations/shapes.ts';
import {
  columnsOfIdentity,
  columnsOfMessages,
  columnsOfTicket,
  IdentityRow,
  MessagesRow,
  MoreOfCase,
  TicketRow,
} from './archived-rows.ts';
import { At, Id, Person, Text } from './row-fields.ts';
import type { ImportProblem, SourceRow } from './source-row.ts';

/** A checked row, with the columns of its case. A note has its text as reason, an end when and by whom as issued. */
export interface ImportRow {
  readonly type: SourceRow['type'];
  readonly external_id: string;
  readonly id_prefix: string;
  readonly kind: keyof typeof CASE_KINDS | null;
  /** Null of a part of a transcript. */
  readonly user_id: string | null;
  readonly reason: string | null;
  /** Null where the source does not say. */
  readonly issued_by: string | null;
  /** Null of a part of a transcript. */
  readonly issued_at: string | null;
  readonly expires_at?: string | null | undefined;
  readonly ended_by?: string | null | undefined;
  readonly ended_at?: string | null | undefined;
  readonly end_reason?: string | null | undefined;
  readonly severity?: (typeof SEVERITIES)[number] | null | undefined;
  readonly category?: string | null | undefined;
  readonly player_name?: string | null | undefined;
  readonly in_game_id?: string | null | undefined;
  /** What else an archive of Bailiff's knows of it, as `import_rows` reads it. */
  readonly more?: object;
}

/** How far the clock of the source may be ahead. */
const TOLERANCE_MS = 86_400_000;

const Case = z.strictObject({
  type: z.literal('case'),
  id: Id,
  kind: z.enum(Object.keys(CASE_KINDS) as (keyof typeof CASE_KINDS)[]),
  user_id: Person,
  reason: Text(512),
  issued_by: Person.nullish(),
  issued_at: At,
  expires_at: At.nullish(),
  ended_by: Person.nullish(),
  ended_at: At.nullish(),
  end_reason: Text(512),
  severity: z.enum(SEVERITIES).nullish(),
  category: Text(64),
  player_name: Text(64),
  in_game_id: Text(64),
  ...MoreOfCase,
});

const Note = z.strictObject({
  type: z.literal('note'),
  id: Id,
  user_id: Person,
  text: text(MOST_NOTE_CHARACTERS),
  written_by: Person.nullish(),
  written_at: At,
});

const End = z.strictObject({
  type: z.literal('end'),
  id: Id,
  kind: z.enum(['ban', 'mute']),
  user_id: Person,
  ended_by: Person.nullish(),
  ended_at: At,
  end_reason: Text(512),
});

const Row = z.discriminatedUnion('type', [Case, Note, End, TicketRow, MessagesRow, IdentityRow]);

/** What is wrong with a row, by the field that is. */
const PROBLEM_OF: Readonly<Record<string, ImportProblem>> = {
  kind: 'unknown_kind',
  severity: 'unknown_kind',
  platform: 'unknown_kind',
  user_id: 'bad_person',
  issued_by: 'bad_person',
  ended_by: 'bad_person',
  written_by: 'bad_person',
  set_by: 'bad_person',
  opened_by: 'bad_person',
  claimed_by: 'bad_person',
  closed_by: 'bad_person',
  issued_at: 'bad_time',
  expires_at: 'bad_time',
  ended_at: 'bad_time',
  written_at: 'bad_time',
  set_at: 'bad_time',
  opened_at: 'bad_time',
  claimed_at: 'bad_time',
  closed_at: 'bad_time',
  reason: 'bad_text',
  text: 'bad_text',
  end_reason: 'bad_text',
  category: 'bad_text',
  player_name: 'bad_text',
  in_game_id: 'bad_text',
  subject: 'bad_text',
  close_reason: 'bad_text',
  messages: 'bad_text',
  transcript: 'transcript_too_long',
};

/** A row is not read past its first mistake: half a megabyte of mistakes would hold a process up for seconds. */
const TO_FIRST_MISTAKE: z.core.ParseContextInternal<z.core.$ZodIssue> = { abortEarly: true };

/** A row as the database takes it, or why it is none. */
export function readImportRow(value: unknown, nowMs: number): ImportRow | ImportProblem {
  const parsed = Row.safeParse(value, TO_FIRST_MISTAKE);
  if (!parsed.success) return PROBLEM_OF[String(parsed.error.issues[0]?.path[0])] ?? 'unreadable';
  const row = columnsOf(parsed.data);
  if (row.issued_at === null) return row;
  const latest = Date.parse(row.issued_at);
  if (latest > nowMs + TOLERANCE_MS) return 'in_future';
  for (const end of [row.expires_at, row.ended_at]) {
    if (end !== undefined && end !== null && Date.parse(end) < latest) return 'bad_time';
  }
  return row.ended_at && Date.parse(row.ended_at) > nowMs + TOLERANCE_MS ? 'in_future' : row;
}

function columnsOf(row: z.output<typeof Row>): ImportRow {
  if (row.type === 'note') {
    const { type, id, user_id, text: reason, written_by = null, written_at } = row;
    return {
      type,
      external_id: `note:${id}`,
      id_prefix: 'not',
      kind: null,
      user_id,
      reason,
      issued_by: written_by,
      issued_at: written_at,
    };
  }
  if (row.type === 'end') {
    const { type, id, kind, user_id, end_reason: reason = null, ended_by = null, ended_at } = row;
    return {
      type,
      external_id: id,
      id_prefix: '',
      kind,
      user_id,
      reason,
      issued_by: ended_by,
      issued_at: ended_at,
    };
  }
  if (row.type === 'ticket') return columnsOfTicket(row);
  if (row.type === 'messages') return columnsOfMessages(row);
  if (row.type === 'identity') return columnsOfIdentity(row);
  const { id, reason = null, issued_by = null, number, changes, links, evidence, messages, ...rest } = row;
  return {
    ...rest,
    external_id: id,
    id_prefix: CASE_KINDS[row.kind].idPrefix,
    reason,
    issued_by,
    ...endOf(row),
    severity: row.severity ?? (row.kind === 'strike' ? 'minor' : null),
    more: { number, changes, links, evidence, messages },
  };
}

/** A mute has an end and a softban is over at once, also where the source does not say so. */
function endOf({ kind, issued_at, expires_at, ended_at, issued_by, ended_by }: z.output<typeof Case>) {
  if (kind === 'mute') return { expires_at: expires_at ?? ended_at ?? issued_at };
  if (kind !== 'softban') return {};
  return { ended_at: ended_at ?? issued_at, ended_by: ended_by ?? issued_by ?? null };
}
