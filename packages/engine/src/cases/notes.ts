import type { InputOf, OutputOf } from '@bailiff/core';
import { forbidden, notFound } from '#src/calls/action-errors.ts';
import type { Read } from '#src/calls/readers.ts';
import type { Outcome } from '#src/calls/settle.ts';
import { actorUserId, type WriteCall } from '#src/calls/submit.ts';
import type { Transaction } from '#src/database/transaction.ts';
import { only } from './cases.ts';

/** Notes that are kept on a person (decisions: Notes). */
export const MOST_NOTES_PER_USER = 100;

type Note = OutputOf<'notes.list'>['data'][number];

interface NoteRow {
  id: string;
  user_id: string;
  text: string;
  written_by: string;
  written_at: Date;
}

const NOTE_COLUMNS = 'id, user_id, text, written_by, written_at';

function noteWire({ id, user_id, text, written_by, written_at }: NoteRow): Note {
  return { id, user_id, text, written_by, written_at: written_at.toISOString() };
}

/** All notes on a person, newest first. */
export function readNotes(
  guildId: string,
  { user_id }: InputOf<'notes.list'>,
): Read<NoteRow, OutputOf<'notes.list'>> {
  return {
    name: 'list_notes',
    text: `SELECT true AS found, ${NOTE_COLUMNS} FROM notes WHERE guild_id = $1 AND user_id = $2
           ORDER BY id DESC LIMIT $3`,
    values: [guildId, user_id, MOST_NOTES_PER_USER],
    answer: (rows) => ({ data: rows.map(noteWire) }),
  };
}

/** Writes a note. The guild's row is locked, so that two at the same time cannot both be the last that is kept. */
export async function addNote(tx: Transaction, call: WriteCall): Promise<Outcome> {
  const { user_id: userId, text } = call.input as InputOf<'notes.add'>;
  await tx.query('SELECT FROM guilds WHERE id = $1 FOR NO KEY UPDATE', [call.guildId]);
  const { rows } = await tx.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM notes WHERE guild_id = $1 AND user_id = $2',
    [call.guildId, userId],
  );
  if (only(rows).count >= MOST_NOTES_PER_USER) return { state: 'failed', error: forbidden('NOTE_LIMIT') };
  return {
    state: 'done',
    write: async () => {
      const written = await tx.query<NoteRow>(
        `INSERT INTO notes (guild_id, user_id, text, written_by) VALUES ($1, $2, $3, $4) RETURNING ${NOTE_COLUMNS}`,
        [call.guildId, userId, text, actorUserId(call.actor)],
      );
      return { note: noteWire(only(written.rows)) };
    },
  };
}

/** Removes a note; the actions that wrote and removed it stay. */
export async function removeNote(tx: Transaction, call: WriteCall): Promise<Outcome> {
  const { user_id: userId, note_id: noteId } = call.input as InputOf<'notes.remove'>;
  const { rows } = await tx.query<NoteRow>(
    `SELECT ${NOTE_COLUMNS} FROM notes WHERE guild_id = $1 AND user_id = $2 AND id = $3 FOR UPDATE`,
    [call.guildId, userId, noteId],
  );
  const [row] = rows;
  if (row === undefined) return { state: 'failed', error: notFound('note', noteId) };
  return {
    state: 'done',
    write: async () => {
      await tx.query('DELETE FROM notes WHERE id = $1', [noteId]);
      return { note: noteWire(row) };
    },
  };
}
