import { z } from 'zod';
import { id, Snowflake } from '#src/ids.ts';
import { EXAMPLE_IDS, exampleId, ISSUED_AT } from './example-values.ts';
import { operation } from './operation.ts';
import { Timestamp, text } from './shapes.ts';

/** The longest note, in characters. */
export const MOST_NOTE_CHARACTERS = 1_000;

/** A moderator's note about a person, as chat and dashboard show it. */
const Note = z.object({
  id: id('note'),
  user_id: Snowflake,
  text: z.string(),
  written_by: Snowflake,
  written_at: Timestamp,
});

const NOTE: z.output<typeof Note> = {
  id: exampleId('note'),
  user_id: EXAMPLE_IDS.user,
  text: 'Has a second account',
  written_by: EXAMPLE_IDS.issuer,
  written_at: ISSUED_AT,
};

/** A note that is removed leaves its text nowhere, not even in the answer to its removal. */
const RemovedNote = Note.omit({ text: true });

const { text: _, ...REMOVED_NOTE } = NOTE;

/** Notes are for moderators in chat and dashboard: no token reads or writes them. */
const WRITE_NOTES = {
  http: null,
  tool: null,
  dashboard: { on: 'own_page' },
  capability: 'strikes.write',
  tier: 'reversible_write',
  performedBy: 'store',
} as const;

export const notes = {
  'notes.list': operation({
    summary: 'Show the notes on a person, newest first',
    http: null,
    tool: null,
    chat: { command: 'note list', shownTo: 'ModerateMembers' },
    capability: 'members.read',
    tier: 'read',
    performedBy: 'store',
    input: z.strictObject({ user_id: Snowflake.describe('Whose notes') }),
    output: z.object({ data: z.array(Note) }),
    example: {
      input: { user_id: EXAMPLE_IDS.user },
      output: { data: [NOTE] },
    },
    notFound: null,
    target: ({ user_id }) => ({ type: 'user', id: user_id }),
  }),
  'notes.add': operation({
    summary: 'Write a note on a person, for moderators to read',
    ...WRITE_NOTES,
    chat: { command: 'note add', shownTo: 'ModerateMembers' },
    input: z.strictObject({
      user_id: Snowflake.describe('Who it is about; they are never told'),
      text: text(MOST_NOTE_CHARACTERS).describe('What to remember'),
    }),
    output: z.object({ note: Note }),
    example: {
      input: { user_id: EXAMPLE_IDS.user, text: NOTE.text },
      output: { note: NOTE },
    },
    notFound: null,
    target: ({ user_id }) => ({ type: 'user', id: user_id }),
  }),
  'notes.remove': operation({
    summary: 'Remove a note on a person',
    ...WRITE_NOTES,
    chat: { command: 'note remove', shownTo: 'ModerateMembers' },
    input: z.strictObject({
      user_id: Snowflake.describe('Who it is about'),
      note_id: id('note').describe('Which one'),
    }),
    output: z.object({ note: RemovedNote }),
    example: {
      input: { user_id: EXAMPLE_IDS.user, note_id: NOTE.id },
      output: { note: REMOVED_NOTE },
    },
    notFound: 'note',
    target: ({ user_id }) => ({ type: 'user', id: user_id }),
  }),
};
