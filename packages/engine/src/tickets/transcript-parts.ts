import { type Database, sql } from '@bailiff/prisma';
import { pageInTurn } from '#src/database/in-turn.ts';
import type { Viewer } from '#src/guilds/guilds.ts';
import { requireTickets, type TranscriptMessage } from './ticket-list.ts';

/** How many messages a page shows at the most: some ten milliseconds of work, of some hundred thousand that there can be. */
const MESSAGES_OF_PART = 100;
/** How much JSON they have together: a page shows fewer long messages. */
const MOST_CHARACTERS = 96 * 1024;

/** The part before a place, or the one that begins with it. Places are counted from the oldest message, from 1. */
export type PartStart = { readonly before: number } | { readonly from: number };

/** The newest part. */
export const NEWEST_PART: PartStart = { before: 2_147_483_647 };

/** A part of messages, the oldest first. */
export interface MessagePart {
  readonly messages: readonly TranscriptMessage[];
  /** The place of its first message, and the one after its last. */
  readonly from: number;
  readonly to: number;
}

/** A part of a transcript. */
interface TranscriptPart extends MessagePart {
  /** Messages of other parts to which some of these reply, with their places. */
  readonly quoted: readonly { readonly message: TranscriptMessage; readonly place: number }[];
}

/** The part of messages that are in memory, as much of it as fits. */
export function partOf(messages: readonly TranscriptMessage[], start: PartStart): MessagePart {
  const isBackward = 'before' in start;
  const first = isBackward ? Math.min(start.before, messages.length + 1) - MESSAGES_OF_PART : start.from;
  const from = Math.max(1, Math.min(first, messages.length));
  const to = Math.min(
    messages.length + 1,
    isBackward ? Math.max(from, start.before) : from + MESSAGES_OF_PART,
  );
  return cut({ messages: messages.slice(from - 1, to - 1), from, to }, isBackward);
}

/** The part without what is too much: at its beginning if it was read backward. */
function cut({ messages, from, to }: MessagePart, isBackward: boolean): MessagePart {
  let left = MOST_CHARACTERS;
  const fitting = (isBackward ? messages.toReversed() : messages).findIndex((message, index) => {
    left -= JSON.stringify(message).length;
    return left < 0 && index > 0;
  });
  if (fitting === -1) return { messages, from, to };
  return isBackward
    ? { messages: messages.slice(-fitting), from: to - fitting, to }
    : { messages: messages.slice(0, fitting), from, to: from + fitting };
}

/** The document is unpacked once, and then each message read by its place. */
const partOfTicket = sql.statement({
  parameters: [sql.text, sql.int, sql.bool, sql.int, sql.int],
  columns: { messages: sql.jsonb<readonly TranscriptMessage[]>(), from: sql.int, to: sql.int },
  text: `SELECT "from", "to", (SELECT coalesce(jsonb_agg(whole->(place - 1) ORDER BY place), '[]')
      FROM generate_series("from", "to" - 1) AS place) AS messages
    FROM (SELECT transcript || '[]' AS whole FROM tickets
      WHERE guild_id = $1 AND number = $2 AND transcript IS NOT NULL OFFSET 0) AS ticket
    CROSS JOIN LATERAL (SELECT jsonb_array_length(whole) AS count) AS counted
    CROSS JOIN LATERAL (SELECT greatest(1, least(count,
      CASE WHEN $3 THEN least($4::int, count + 1) - $5::int ELSE $4::int END)) AS "from") AS begun
    CROSS JOIN LATERAL (SELECT least(count + 1,
      CASE WHEN $3 THEN greatest("from", $4::int) ELSE "from" + $5::int END) AS "to") AS ended`,
});

const messagesById = sql.statement({
  parameters: [sql.text, sql.int, sql.arrayOf(sql.text)],
  columns: { message: sql.jsonb<TranscriptMessage>(), place: sql.int },
  text: `SELECT message, place::int FROM tickets, jsonb_array_elements(transcript) WITH ORDINALITY AS kept (message, place)
    WHERE guild_id = $1 AND number = $2 AND message->>'id' = ANY ($3) LIMIT ${MESSAGES_OF_PART}`,
});

/**
 * A part of the transcript of a ticket. Null if there is no such ticket, or it has no transcript.
 *
 * @throws ApiError CAPABILITY_DENIED
 */
export async function transcriptPart(
  db: Database,
  viewer: Viewer,
  number: number,
  start: PartStart,
): Promise<TranscriptPart | null> {
  requireTickets(viewer);
  const isBackward = 'before' in start;
  const place = isBackward ? start.before : start.from;
  const read = await pageInTurn(db, viewer.id, () =>
    partOfTicket.first(db.pool, [viewer.id, number, isBackward, place, MESSAGES_OF_PART]),
  );
  if (read === null) return null;
  const part = cut(read, isBackward);
  const shown = new Set(part.messages.map(({ id }) => id));
  const wanted = part.messages.flatMap(({ reply_to: id }) =>
    typeof id === 'string' && !shown.has(id) ? [id] : [],
  );
  const quoted =
    wanted.length === 0
      ? []
      : await pageInTurn(db, viewer.id, () => messagesById.all(db.pool, [viewer.id, number, wanted]));
  return { ...part, quoted };
}
