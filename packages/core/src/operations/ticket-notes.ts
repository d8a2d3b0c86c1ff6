import { z } from 'zod';
import { id, Snowflake } from '#src/ids.ts';
import { EXAMPLE_IDS, exampleId, ISSUED_AT } from './example-values.ts';
import { operation, type Target } from './operation.ts';
import { Timestamp, text } from './shapes.ts';

/** The longest note on a ticket, in characters, and the most notes on one. */
export const MOST_TICKET_NOTE_CHARACTERS = 1_000;
export const MOST_TICKET_NOTES = 50;

/** What those who work on a ticket write down for each other. */
const TicketNote = z
  .object({
    id: id('ticket_note'),
    ticket_id: id('ticket'),
    text: z.string(),
    written_by: Snowflake,
    written_at: Timestamp,
  })
  .meta({ id: 'TicketNote' });

const NOTE: z.output<typeof TicketNote> = {
  id: exampleId('ticket_note'),
  ticket_id: exampleId('ticket'),
  text: 'The logs show who was there. Waiting for their answer.',
  written_by: EXAMPLE_IDS.issuer,
  written_at: ISSUED_AT,
};

/** A note that is removed leaves its text nowhere, not even in the answer to its removal. */
const RemovedTicketNote = TicketNote.omit({ text: true }).meta({ id: 'RemovedTicketNote' });

const { text: _, ...REMOVED_NOTE } = NOTE;

/** Who reads tickets without working on them sees no notes: the staff's own words are for the staff. */
const NOTES = {
  capability: 'tickets.write',
  performedBy: 'store',
  notFound: 'ticket',
  target: ({ ticketId }: { readonly ticketId: string }): Target => ({ type: 'ticket', id: ticketId }),
} as const;

export const ticketNotes = {
  'tickets.notes': operation({
    summary: 'Show the internal notes on a ticket, newest first',
    http: { method: 'GET', path: '/tickets/{ticketId}/notes', success: 200 },
    tool: { name: 'list_ticket_notes' },
    chat: { command: 'ticket notes', shownTo: 'Administrator' },
    ...NOTES,
    tier: 'read',
    input: z.strictObject({ ticketId: id('ticket') }),
    output: z.object({ data: z.array(TicketNote).describe(`At most ${MOST_TICKET_NOTES}`) }),
    example: {
      input: { ticketId: NOTE.ticket_id },
      output: { data: [NOTE] },
    },
  }),
  'tickets.note': operation({
    summary: 'Write an internal note on a ticket, which its opener never sees',
    http: { method: 'POST', path: '/tickets/{ticketId}/notes', success: 201 },
    tool: { name: 'add_ticket_note' },
    chat: { command: 'ticket note', shownTo: 'Administrator' },
    dashboard: { on: 'own_page' },
    ...NOTES,
    tier: 'reversible_write',
    input: z.strictObject({
      ticketId: id('ticket'),
      text: text(MOST_TICKET_NOTE_CHARACTERS).describe('What the others who work on it should know'),
    }),
    output: z.object({ note: TicketNote }),
    example: {
      input: { ticketId: NOTE.ticket_id, text: NOTE.text },
      output: { note: NOTE },
    },
  }),
  'tickets.unnote': operation({
    summary: 'Remove an internal note on a ticket',
    http: { method: 'DELETE', path: '/tickets/{ticketId}/notes/{note_id}', success: 200 },
    tool: { name: 'remove_ticket_note' },
    dashboard: { on: 'own_page' },
    ...NOTES,
    notFound: 'note',
    tier: 'reversible_write',
    input: z.strictObject({
      ticketId: id('ticket'),
      note_id: id('ticket_note').describe('Which one'),
    }),
    output: z.object({ note: RemovedTicketNote }),
    example: {
      input: { ticketId: NOTE.ticket_id, note_id: NOTE.id },
      output: { note: REMOVED_NOTE },
    },
  }),
};
