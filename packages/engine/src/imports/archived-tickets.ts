import { MOST_CLOSINGS, MOST_TRANSCRIPT_PARTS } from '@bailiff/core';
import { type Database, type RowOf, sql, type TargetNoticeState } from '@bailiff/prisma';
import type { TranscriptMessage } from '#src/tickets/ticket-list.ts';
import { TICKET } from '#src/tickets/tickets.ts';
import { filled, idInArchive, iso, pages, ROWS_OF_A_STEP, type Turn } from './archive-lines.ts';

/** The longest part of a transcript, in characters of JSON, and its most messages. A reader takes twice as much. */
const MOST_PART_CHARACTERS = 50_000;
const MOST_MESSAGES = 500;

const { id, number, subject, opened_by, opened_at, claimed_by, claimed_at, closed_by, closed_at } = TICKET;
const { close_reason, category, answers } = TICKET;
const OWN = {
  number,
  subject,
  opened_by,
  opened_at,
  claimed_by,
  claimed_at,
  closed_by,
  closed_at,
  close_reason,
};
interface Noted {
  readonly text: string;
  readonly by: string;
  readonly at: string;
}

interface Rated {
  readonly closed_at: string;
  readonly state: TargetNoticeState;
  readonly rating: number | null;
  readonly text: string | null;
  readonly rated_at: string | null;
}

const CLOSED = {
  own_id: sql.text,
  id,
  ...OWN,
  category,
  answers,
  notes: sql.jsonb<readonly Noted[]>().orNull,
  feedback: sql.jsonb<readonly Rated[]>().orNull,
  is_cut: sql.bool,
  is_written: sql.bool,
};

const closedAfter = sql.statement({
  parameters: [sql.text, sql.int],
  columns: CLOSED,
  text: `SELECT id AS own_id, ${idInArchive('t.id')} AS id, ${sql.names(OWN)}, category, answers, is_cut,
      (SELECT jsonb_agg(jsonb_build_object('text', text, 'by', written_by, 'at', written_at)
          ORDER BY written_at, id)
        FROM ticket_notes n WHERE n.ticket_id = t.id) AS notes,
      (SELECT jsonb_agg(jsonb_build_object('closed_at', closed_at, 'state',
          CASE WHEN state = 'sending' THEN 'unknown' ELSE state END, 'rating', rating, 'text', text,
          'rated_at', rated_at) ORDER BY closed_at)
        FROM (SELECT * FROM ticket_feedback WHERE ticket_id = t.id ORDER BY closed_at DESC LIMIT ${MOST_CLOSINGS})
          AS f) AS feedback,
      transcript IS NOT NULL AS is_written
    FROM tickets t WHERE guild_id = $1 AND number > $2 AND status = 'closed' AND closed_at IS NOT NULL
    ORDER BY number LIMIT ${ROWS_OF_A_STEP}`,
});

const transcriptOf = sql.statement({
  parameters: [sql.text],
  columns: { transcript: sql.jsonb<readonly TranscriptMessage[]>().orNull },
  text: 'SELECT transcript FROM tickets WHERE id = $1',
});

/** The closed tickets of a guild, each followed by its transcript. One transcript at a time is in memory. */
export async function* ticketLines(
  db: Database,
  guildId: string,
  turn: Turn,
): AsyncGenerator<readonly object[]> {
  const read = (after: number) => turn(() => closedAfter.all(db.pool, [guildId, after]));
  for await (const tickets of pages(read, 0, (ticket) => ticket.number)) {
    for (const ticket of tickets) {
      const { own_id: ownId, is_written: isWritten } = ticket;
      const kept = isWritten ? await turn(() => transcriptOf.only(db.pool, [ownId])) : null;
      const parts = partsOf(kept?.transcript ?? []);
      const isCut = ticket.is_cut || parts.length > MOST_TRANSCRIPT_PARTS;
      yield [
        ticketLine(ticket, isCut),
        ...parts.slice(0, MOST_TRANSCRIPT_PARTS).map((messages, n) => ({
          type: 'messages',
          ticket_id: ticket.id,
          part: n + 1,
          messages,
        })),
      ];
    }
  }
}

function ticketLine(
  { own_id: _, is_written, answers: given, notes, feedback, ...ticket }: RowOf<typeof CLOSED>,
  isCut: boolean,
): object {
  return filled({
    type: 'ticket',
    ...ticket,
    answers: given.length === 0 ? null : given,
    notes: notes?.map((note) => ({ ...note, at: iso(note.at) })),
    feedback: feedback?.map(({ closed_at, rated_at, ...said }) =>
      filled({ closed_at: iso(closed_at), ...said, rated_at: rated_at && iso(rated_at) }),
    ),
    is_cut: isCut || null,
  });
}

function partsOf(messages: readonly TranscriptMessage[]): (readonly TranscriptMessage[])[] {
  const parts: TranscriptMessage[][] = [];
  let characters = 0;
  for (const message of messages) {
    const size = JSON.stringify(message).length;
    const last = parts.at(-1);
    if (last !== undefined && last.length < MOST_MESSAGES && characters + size <= MOST_PART_CHARACTERS) {
      last.push(message);
      characters += size;
    } else {
      parts.push([message]);
      characters = size;
    }
  }
  return parts;
}
