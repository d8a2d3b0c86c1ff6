import { MOST_TICKET_NOTES, type OutputOf } from '@bailiff/core';
import { type RowOf, sql } from '@bailiff/prisma';
import { absent } from '#src/calls/absent.ts';
import { forbidden, notFound } from '#src/calls/action-errors.ts';
import type { Read } from '#src/calls/readers.ts';
import type { StorePerformer } from '#src/calls/store-performers.ts';
import { lockTicket } from './tickets.ts';

type TicketNote = OutputOf<'tickets.note'>['note'];

const NOTE = {
  id: sql.text,
  ticket_id: sql.text,
  text: sql.text,
  written_by: sql.text,
  written_at: sql.timestamptz,
};

const NOTE_COLUMNS = sql.names(NOTE);

function noteWire({ written_at, ...note }: RowOf<typeof NOTE>): TicketNote {
  return { ...note, written_at: written_at.toISOString() };
}

/** All notes of a ticket in one row, which also a ticket without any has. */
const NOTES = { notes: sql.jsonb<readonly TicketNote[]>() };

/** The notes on a ticket, newest first. */
export function readTicketNotes(
  guildId: string,
  ticketId: string,
): Read<typeof NOTES, OutputOf<'tickets.notes'>> {
  return {
    parameters: [sql.text, sql.text, sql.bigint],
    columns: NOTES,
    text: `SELECT true AS found, (SELECT coalesce(jsonb_agg(to_jsonb(n) ORDER BY id DESC), '[]') FROM (
        SELECT ${NOTE_COLUMNS} FROM ticket_notes WHERE ticket_id = tickets.id ORDER BY id DESC LIMIT $3) AS n) AS notes
      FROM tickets WHERE guild_id = $1 AND id = $2`,
    values: [guildId, ticketId, MOST_TICKET_NOTES],
    mayBeEmpty: false,
    isQuick: true,
    answer: ([{ notes } = absent('ticket', ticketId)]: RowOf<typeof NOTES>[]) => ({
      data: notes.map((note) => ({ ...note, written_at: new Date(note.written_at).toISOString() })),
    }),
  };
}

const countNotes = sql.statement({
  parameters: [sql.text],
  columns: { count: sql.int },
  text: 'SELECT count(*)::int AS count FROM ticket_notes WHERE ticket_id = $1',
});

const write = sql.statement({
  parameters: [sql.text, sql.text],
  columns: { id: sql.text },
  text: 'SELECT write_ticket_note($1, $2) AS id',
});

const noteOfTicket = sql.statement({
  parameters: [sql.text, sql.text],
  columns: NOTE,
  text: `SELECT ${NOTE_COLUMNS} FROM ticket_notes WHERE ticket_id = $1 AND id = $2`,
});

const remove = sql.command({ parameters: [sql.text], text: 'SELECT remove_ticket_note($1)' });

/** Writes a note on a ticket, also on a closed one. Locks the ticket, so that two cannot both write the last one. */
export const addTicketNote: StorePerformer<'tickets.note'> = async (tx, call) => {
  const { ticketId, text } = call.input;
  if ((await lockTicket(tx, call.guildId, ticketId)) === null)
    return { state: 'failed', error: notFound('ticket', ticketId) };
  const { count } = await countNotes.only(tx, [ticketId]);
  if (count >= MOST_TICKET_NOTES) return { state: 'failed', error: forbidden('TICKET_NOTE_LIMIT') };
  return {
    state: 'done',
    write: async () => {
      const { id } = await write.only(tx, [ticketId, text]);
      return { note: noteWire(await noteOfTicket.only(tx, [ticketId, id])) };
    },
  };
};

/**
 * Removes a note on a ticket, and its text wherever else it stands. The actions that wrote and removed it stay.
 */
export const removeTicketNote: StorePerformer<'tickets.unnote'> = async (tx, call) => {
  const { ticketId, note_id: noteId } = call.input;
  // When two people remove it at once, the second one finds it gone.
  const ticket = await lockTicket(tx, call.guildId, ticketId);
  const row = ticket === null ? null : await noteOfTicket.first(tx, [ticketId, noteId]);
  if (row === null) return { state: 'failed', error: notFound('note', noteId) };
  return {
    state: 'done',
    write: async () => {
      await remove.run(tx, [noteId]);
      const { text: _, ...removed } = noteWire(row);
      return { note: removed };
    },
  };
};
