import { z } from 'zod';
import { id, Snowflake } from '#src/ids.ts';
import { operation } from './operation.ts';
import { Timestamp, text } from './shapes.ts';

/** The longest note, in characters. */
export const MOST_NOTE_CHARACTERS = 1_000;

/** What moderators want to remember of somebody, as chat and dashboard show it. */
const Note = z.object({
  id: id('note'),
  user_id: Snowflake,
  text: z.string(),
  written_by: Snowflake,
  written_at: Timestamp,
});

export const notes = {
  'notes.list': operation({
    summary: 'Show the notes on a person, newest first',
    http: null,
    tool: null,
    chat: { command: 'note list' },
    capability: 'members.read',
    tier: 'read',
    performedBy: 'store',
    input: z.strictObject({ user_id: Snowflake.describe('Whose notes') }),
    output: z.object({ data: z.array(Note) }),
    target: ({ user_id }) => ({ type: 'user', id: user_id }),
  }),
  'notes.add': operation({
    summary: 'Write a note on a person, for moderators to read',
    http: null,
    tool: null,
    chat: { command: 'note add' },
    dashboard: true,
    capability: 'strikes.write',
    tier: 'reversible_write',
    performedBy: 'store',
    input: z.strictObject({
      user_id: Snowflake.describe('Who it is about; they are never told'),
      text: text(MOST_NOTE_CHARACTERS).describe('What to remember'),
    }),
    output: z.object({ note: Note }),
    target: ({ user_id }) => ({ type: 'user', id: user_id }),
  }),
  'notes.remove': operation({
    summary: 'Remove a note on a person',
    http: null,
    tool: null,
    chat: { command: 'note remove' },
    dashboard: true,
    capability: 'strikes.write',
    tier: 'reversible_write',
    performedBy: 'store',
    input: z.strictObject({
      user_id: Snowflake.describe('Who it is about'),
      note_id: id('note').describe('Which one'),
    }),
    output: z.object({ note: Note }),
    target: ({ user_id }) => ({ type: 'user', id: user_id }),
  }),
};
