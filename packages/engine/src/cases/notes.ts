import type { InputOf, OutputOf } from '@bailiff/core';
import { type RowOf, sql } from '@bailiff/prisma';
import { forbidden, notFound } from '#src/calls/action-errors.ts';
import type { Read } from '#src/calls/readers.ts';
import type { StorePerformer } from '#src/calls/store-performers.ts';
import { actorUserId } from '#src/calls/submit.ts';

/** Most notes on one person (decisions: Notes). */
export const MOST_NOTES_PER_USER = 100;

type Note = OutputOf<'notes.list'>['data'][number];

const NOTE = {
  id: sql.text,
  user_id: sql.text,
  text: sql.text,
  written_by: sql.text,
  written_at: sql.timestamptz,
};
type NoteRow = RowOf<typeof NOTE>;

const NOTE_COLUMNS = sql.names(NOTE);

function noteWire({ id, user_id, text, written_by, written_at }: NoteRow): Note {
  return { id, user_id, text, written_by, written_at: written_at.toISOString() };
}

/** All notes on a person, newest first. */
export function readNotes(
  guildId: string,
  { user_id }: InputOf<'notes.list'>,
): Read<typeof NOTE, OutputOf<'notes.list'>> {
  return {
    parameters: [sql.text, sql.text, sql.bigint],
    columns: NOTE,
    text: `SELECT true AS found, ${NOTE_COLUMNS} FROM notes WHERE guild_id = $1 AND user_id = $2
           ORDER BY id DESC LIMIT $3`,
    values: [guildId, user_id, MOST_NOTES_PER_USER],
    mayBeEmpty: true,
    isQuick: true,
    answer: (rows) => ({ data: rows.map(noteWire) }),
  };
}

/** Locks a guild's row: what is bounded by a number in the guild is then added one after the other. */
export const lockGuild = sql.command({
  parameters: [sql.text],
  text: 'SELECT FROM guilds WHERE id = $1 FOR NO KEY UPDATE',
});

const insertNote = sql.statement({
  parameters: [sql.text, sql.text, sql.text, sql.text],
  columns: NOTE,
  text: `INSERT INTO notes (guild_id, user_id, text, written_by) VALUES ($1, $2, $3, $4) RETURNING ${NOTE_COLUMNS}`,
});

const lockNote = sql.statement({
  parameters: [sql.text, sql.text, sql.text],
  columns: NOTE,
  text: `SELECT ${NOTE_COLUMNS} FROM notes WHERE guild_id = $1 AND user_id = $2 AND id = $3 FOR UPDATE`,
});

/**
 * Writes a note. Locks the guild's row, so that two concurrent notes cannot both be the last one allowed. Nobody writes
 * any about themselves, which would take the room of those of others.
 */
export const addNote: StorePerformer<'notes.add'> = async (tx, call) => {
  const { user_id: userId, text } = call.input;
  if (userId === actorUserId(call.actor)) return { state: 'failed', error: forbidden('TARGET_IS_SELF') };
  await lockGuild.run(tx, [call.guildId]);
  const count = await tx.prisma.note.count({ where: { guildId: call.guildId, userId } });
  if (count >= MOST_NOTES_PER_USER) return { state: 'failed', error: forbidden('NOTE_LIMIT') };
  return {
    state: 'done',
    write: async () => {
      const values = [call.guildId, userId, text, actorUserId(call.actor)] as const;
      return { note: noteWire(await insertNote.only(tx, values)) };
    },
  };
};

const removeOne = sql.command({ parameters: [sql.text], text: 'SELECT remove_note($1)' });

/**
 * Removes a note, and its text wherever else it stands. The actions that wrote and removed it stay. Nobody removes one
 * about themselves.
 */
export const removeNote: StorePerformer<'notes.remove'> = async (tx, call) => {
  const { user_id: userId, note_id: noteId } = call.input;
  const row = await lockNote.first(tx, [call.guildId, userId, noteId]);
  if (row === null) return { state: 'failed', error: notFound('note', noteId) };
  if (userId === actorUserId(call.actor)) return { state: 'failed', error: forbidden('TARGET_IS_SELF') };
  return {
    state: 'done',
    write: async () => {
      await removeOne.run(tx, [noteId]);
      const { text: _, ...removed } = noteWire(row);
      return { note: removed };
    },
  };
};
