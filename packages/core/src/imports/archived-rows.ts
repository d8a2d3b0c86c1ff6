import { z } from 'zod';
import { GAME_PLATFORMS, identityKey, MOST_IDENTITY_CHARACTERS, readIdentity } from '../game-identities.ts';
import { SEVERITIES, text } from '../operations/shapes.ts';
import { MOST_TICKET_NOTE_CHARACTERS, MOST_TICKET_NOTES } from '../operations/ticket-notes.ts';
import { MOST_SUBJECT_CHARACTERS } from '../operations/tickets.ts';
import {
  MOST_CATEGORY_CHARACTERS,
  MOST_FEEDBACK_CHARACTERS,
  MOST_QUESTION_CHARACTERS,
  MOST_TICKET_ANSWER_CHARACTERS,
  MOST_TICKET_QUESTIONS,
} from '../ticket-settings.ts';
import type { ImportRow } from './import-row.ts';
import { At, Id, Num, Person, Text, Words } from './row-fields.ts';

/** The most parts that the transcript of a ticket has in an archive. */
export const MOST_TRANSCRIPT_PARTS = 200;
/** The longest part, in characters of JSON. One that Bailiff writes is shorter. */
const MOST_CHARACTERS_OF_PART = 60_000;

/** The most messages that a case has in an archive: a line with them stays short enough to be read. */
export const MOST_MESSAGES_OF_CASE = 20;

const Recorded = z.strictObject({
  reason: Text(512),
  severity: z.enum(SEVERITIES).optional(),
  duration_minutes: z.int().nullish(),
  expires_at: At.nullish(),
});

/** What an archive of Bailiff's knows of a case besides its columns. */
export const MoreOfCase = {
  number: Num.optional(),
  changes: z
    .array(z.strictObject({ by: Person, at: At, why: Text(512), before: Recorded, after: Recorded }))
    .max(50)
    .optional(),
  /** Cases that come before it. */
  links: z
    .array(z.strictObject({ id: Id, by: Person, at: At }))
    .max(20)
    .optional(),
  evidence: z
    .array(
      z.strictObject({
        name: Words(512),
        media_type: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']).nullable(),
        size_bytes: z
          .int()
          .min(0)
          .max(2 ** 31 - 1),
        sha256: z
          .string()
          .regex(/^[0-9a-f]{64}$/)
          .nullable(),
        problem: z.enum(['too_large', 'unread', 'full']).nullable(),
        attached_at: At,
      }),
    )
    .max(100)
    .optional(),
  /** The messages that it is about. */
  messages: z
    .array(
      z.strictObject({
        channel_id: Person,
        message_id: Person,
        author_id: Person,
        text: Words(4_000).nullable(),
        attached_at: At,
      }),
    )
    .max(MOST_MESSAGES_OF_CASE)
    .optional(),
};

/** The most closings of a ticket after which its opener was asked how the help was. */
export const MOST_CLOSINGS = 50;

const Feedback = z
  .strictObject({
    closed_at: At,
    /** What became of the question. */
    state: z.enum(['told', 'closed', 'absent', 'not_sent', 'unknown', 'withdrawn']),
    rating: z.int().min(1).max(5).optional(),
    text: Words(MOST_FEEDBACK_CHARACTERS).optional(),
    rated_at: At.optional(),
  })
  // A text goes with a rating, and a rating is of a moment.
  .refine(({ rating, text: said, rated_at: at }) =>
    rating === undefined ? said === undefined && at === undefined : at !== undefined,
  );

/** A closed ticket. Its transcript follows in parts. */
export const TicketRow = z.strictObject({
  type: z.literal('ticket'),
  id: Id,
  number: Num.optional(),
  subject: Words(MOST_SUBJECT_CHARACTERS),
  opened_by: Person,
  opened_at: At,
  claimed_by: Person.nullish(),
  claimed_at: At.nullish(),
  closed_by: Person.nullish(),
  closed_at: At,
  close_reason: Text(512),
  category: Text(MOST_CATEGORY_CHARACTERS),
  answers: z
    .array(
      z.strictObject({
        question: Words(MOST_QUESTION_CHARACTERS),
        answer: Words(MOST_TICKET_ANSWER_CHARACTERS),
      }),
    )
    .max(MOST_TICKET_QUESTIONS)
    .optional(),
  /** Internal notes, oldest first. */
  notes: z
    .array(z.strictObject({ text: Words(MOST_TICKET_NOTE_CHARACTERS), by: Person, at: At }))
    .max(MOST_TICKET_NOTES)
    .optional(),
  /** What its opener said of the help after each closing, oldest first. */
  feedback: z.array(Feedback).max(MOST_CLOSINGS).optional(),
  is_cut: z.boolean().optional(),
});

/** A part of the transcript of a ticket that came before. */
export const MessagesRow = z
  .strictObject({
    type: z.literal('messages'),
    ticket_id: Id,
    part: z.int().min(1),
    messages: z
      .array(
        z.strictObject({
          id: Person,
          author_id: Person,
          author_name: Words(100),
          author_is_bot: z.boolean().optional(),
          sent_at: z.iso.datetime({ offset: true }),
          text: Words(8_000),
          attachments: z.array(Words(2_000)).max(20),
          reply_to: Person.nullish(),
        }),
      )
      .min(1),
  })
  // Each part comes once, so a transcript is never longer than all of them.
  .refine(
    ({ part, messages }) =>
      part <= MOST_TRANSCRIPT_PARTS && JSON.stringify(messages).length <= MOST_CHARACTERS_OF_PART,
    { path: ['transcript'] },
  );

/** Who somebody is in a game. Its kind and its text are its name: a guild has each once. */
export const IdentityRow = z
  .strictObject({
    type: z.literal('identity'),
    user_id: Person,
    platform: z.enum(GAME_PLATFORMS),
    in_game_id: text(MOST_IDENTITY_CHARACTERS),
    set_by: Person.nullish(),
    set_at: At,
  })
  .refine(({ platform, in_game_id }) => readIdentity(platform, in_game_id) !== null, {
    path: ['in_game_id'],
  });

export function columnsOfIdentity(row: z.output<typeof IdentityRow>): ImportRow {
  const { type, user_id, platform, set_by = null, set_at } = row;
  const identity = readIdentity(platform, row.in_game_id) ?? '';
  const key = identityKey(identity);
  return {
    type,
    external_id: `identity:${platform}:${key}`,
    id_prefix: 'idn',
    kind: null,
    user_id,
    reason: null,
    issued_by: set_by,
    issued_at: set_at,
    in_game_id: identity,
    more: { platform, key },
  };
}

export function columnsOfTicket(row: z.output<typeof TicketRow>): ImportRow {
  const { type, id, opened_by, opened_at, closed_by, closed_at, close_reason, category, ...more } = row;
  return {
    type,
    external_id: id,
    id_prefix: 'tkt',
    kind: null,
    user_id: opened_by,
    reason: null,
    issued_by: opened_by,
    issued_at: opened_at,
    ended_by: closed_by,
    ended_at: closed_at,
    end_reason: close_reason,
    category,
    more,
  };
}

/** A part has no columns of its own: `import_rows` adds its messages to those of the ticket. */
export function columnsOfMessages({
  type,
  ticket_id,
  part,
  messages,
}: z.output<typeof MessagesRow>): ImportRow {
  return {
    type,
    external_id: `messages:${ticket_id}:${part}`,
    id_prefix: '',
    kind: null,
    user_id: null,
    reason: null,
    issued_by: null,
    issued_at: null,
    more: { ticket_id, messages },
  };
}
