import { z } from 'zod';
import { Snowflake } from './ids.ts';
import { text } from './operations/shapes.ts';

/** The kinds of case that a guild can let people appeal. */
export const APPEALABLE = ['ban', 'mute', 'strike', 'warning'] as const;
export type AppealableKind = (typeof APPEALABLE)[number];

export const MOST_APPEAL_QUESTIONS = 5;
/** The longest answer to a question, in characters. SQL `file_appeal` has it too. */
export const MOST_ANSWER_CHARACTERS = 2_000;
/** The longest list of kinds, with its repetitions. */
const MOST_KINDS = 100;
/** The longest introduction and question, in characters. */
const MOST_INTRODUCTION = 1_000;
const MOST_QUESTION_CHARACTERS = 200;

const AppealSettings = z.strictObject({
  kinds: z
    .array(z.enum(APPEALABLE))
    .max(MOST_KINDS)
    .transform((kinds) => APPEALABLE.filter((kind) => kinds.includes(kind))),
  introduction: z.union([z.literal(''), text(MOST_INTRODUCTION)]),
  questions: z.array(z.string().trim().pipe(text(MOST_QUESTION_CHARACTERS))).max(MOST_APPEAL_QUESTIONS),
  cooldown_days: z.int().min(0).max(365),
  votes_needed: z.int().min(0).max(20),
  channel_id: Snowflake.nullable(),
});

/** Schema of what the owner changes about appeals. What is absent stays as it is: it may be set elsewhere meanwhile. */
export const AppealSettingsInput = AppealSettings.partial().refine(
  (changes) => Object.keys(changes).length > 0,
  'must change something',
);

/** Schema of an appeal: the questions that the person saw, and the answer to each. */
export const AppealInput = z.strictObject({
  questions: z.array(z.string()).max(MOST_APPEAL_QUESTIONS),
  answers: z.array(z.string().trim().pipe(text(MOST_ANSWER_CHARACTERS))).max(MOST_APPEAL_QUESTIONS),
});

export type AppealSettings = z.output<typeof AppealSettings>;
export type AppealSettingsChanges = z.output<typeof AppealSettingsInput>;
