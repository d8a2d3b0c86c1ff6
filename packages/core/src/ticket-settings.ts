import { z } from 'zod';
import { Snowflake } from './ids.ts';
import { text } from './operations/shapes.ts';

/** Discord's limit for the options of a select menu. */
export const MOST_TICKET_CATEGORIES = 25;
/** A form of Discord has five fields, and the first one asks for the subject. */
export const MOST_TICKET_QUESTIONS = 4;
/** The longest text that goes with a rating of the help, in characters. */
export const MOST_FEEDBACK_CHARACTERS = 500;
/** The longest name of a category, in characters. It is part of a form's id, which Discord bounds. */
export const MOST_CATEGORY_CHARACTERS = 60;
/** Discord's limit for the text beneath an option and beside a field. */
export const MOST_QUESTION_CHARACTERS = 100;
/** The longest answer to a question, in characters. With its question it fits into one message. */
export const MOST_TICKET_ANSWER_CHARACTERS = 1_000;
export const MOST_TICKET_ROLES = 5;
/** How long the opener of a ticket has to answer whether it is solved, in hours: at most, and by default. */
export const MOST_CLOSE_HOURS = 336;
export const DEFAULT_CLOSE_HOURS = 48;
/** Discord allows a guild 500 channels. */
export const MOST_OPEN_TICKETS = 400;

const TicketCategoryInput = z.strictObject({
  name: z.string().trim().pipe(text(MOST_CATEGORY_CHARACTERS)),
  description: z.union([z.literal(''), text(MOST_QUESTION_CHARACTERS)]),
  questions: z.array(z.string().trim().pipe(text(MOST_QUESTION_CHARACTERS))).max(MOST_TICKET_QUESTIONS),
  role_ids: z.array(Snowflake).max(MOST_TICKET_ROLES),
  /** How long the opener has to say that it is not solved; absent: the default. */
  close_after_hours: z.int().min(1).max(MOST_CLOSE_HOURS).optional(),
});

const TicketSettings = z.strictObject({
  categories: z
    .array(TicketCategoryInput)
    .max(MOST_TICKET_CATEGORIES)
    .refine((categories) => new Set(categories.map(({ name }) => name)).size === categories.length, {
      message: 'must have different names',
    }),
  most_open_of_person: z.int().min(1).max(20),
  most_open_of_guild: z.int().min(1).max(MOST_OPEN_TICKETS),
  cooldown_minutes: z.int().min(0).max(1_440),
  /** Whether the opener of a ticket gets its transcript when it is closed. */
  sends_transcript: z.boolean(),
  /** Whether the opener of a ticket is asked how the help was, when it is closed. */
  asks_feedback: z.boolean(),
});

/** Schema of what the owner changes about tickets. What is absent stays as it is: it may be set elsewhere meanwhile. */
export const TicketSettingsInput = TicketSettings.partial().refine(
  (changes) => Object.keys(changes).length > 0,
  'must change something',
);

/** A subject that members choose for their ticket, with its own questions and the roles that are mentioned. */
export type TicketCategory = z.output<typeof TicketCategoryInput>;
export type TicketSettings = z.output<typeof TicketSettings>;
export type TicketSettingsChanges = z.output<typeof TicketSettingsInput>;
