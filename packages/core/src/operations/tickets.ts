import { z } from 'zod';
import { id, Snowflake } from '#src/ids.ts';
import { operation } from './operation.ts';
import { page, pageInput, Reason, TICKET_STATUSES, Ticket, text } from './shapes.ts';

/** The longest subject of a ticket, in characters. */
export const MOST_SUBJECT_CHARACTERS = 200;

const TicketPath = z.strictObject({ ticketId: id('ticket') });

export const tickets = {
  'tickets.list': operation({
    summary: 'List tickets, newest first',
    http: { method: 'GET', path: '/tickets', success: 200 },
    tool: { name: 'list_tickets' },
    capability: 'tickets.read',
    tier: 'read',
    performedBy: 'store',
    input: pageInput({
      status: z.enum(TICKET_STATUSES).optional().describe('Only tickets with this status'),
    }),
    output: page(Ticket),
    target: () => null,
  }),
  'tickets.get': operation({
    summary: 'Get one ticket',
    http: { method: 'GET', path: '/tickets/{ticketId}', success: 200 },
    tool: { name: 'get_ticket' },
    capability: 'tickets.read',
    tier: 'read',
    performedBy: 'store',
    input: TicketPath,
    output: Ticket,
    target: ({ ticketId }) => ({ type: 'ticket', id: ticketId }),
  }),
  'tickets.claim': operation({
    summary: 'Claim a ticket',
    http: { method: 'POST', path: '/tickets/{ticketId}/claim', success: 200, idempotent: true },
    tool: { name: 'claim_ticket' },
    chat: { command: 'ticket claim' },
    dashboard: true,
    capability: 'tickets.write',
    tier: 'reversible_write',
    performedBy: 'store',
    input: TicketPath,
    output: z.object({ ticket: Ticket }),
    target: ({ ticketId }) => ({ type: 'ticket', id: ticketId }),
  }),
  'tickets.unclaim': operation({
    summary: 'Release a claimed ticket, so that it is open again',
    http: { method: 'POST', path: '/tickets/{ticketId}/unclaim', success: 200, idempotent: true },
    tool: { name: 'release_ticket' },
    chat: { command: 'ticket release' },
    dashboard: true,
    capability: 'tickets.write',
    tier: 'reversible_write',
    performedBy: 'store',
    input: TicketPath,
    output: z.object({ ticket: Ticket }),
    target: ({ ticketId }) => ({ type: 'ticket', id: ticketId }),
  }),
  'tickets.open': operation({
    summary: 'Open a ticket, in a channel of its own',
    http: null,
    tool: null,
    chat: { command: 'ticket open' },
    capability: 'none',
    tier: 'reversible_write',
    performedBy: 'bot',
    input: z.strictObject({ subject: text(MOST_SUBJECT_CHARACTERS).describe('What it is about') }),
    output: z.object({ ticket: Ticket }),
    target: () => null,
  }),
  'tickets.close': operation({
    summary: 'Close a ticket: its channel is deleted, its transcript kept',
    http: null,
    tool: null,
    chat: { command: 'ticket close' },
    dashboard: true,
    capability: 'tickets.write',
    tier: 'reversible_write',
    performedBy: 'bot',
    input: z.strictObject({ ticket_id: id('ticket'), reason: Reason.optional() }),
    output: z.object({ ticket: Ticket }),
    target: ({ ticket_id }) => ({ type: 'ticket', id: ticket_id }),
  }),
  'tickets.panel': operation({
    summary: 'Post a button that opens tickets',
    http: null,
    tool: null,
    chat: { command: 'ticket panel' },
    capability: 'tickets.write',
    tier: 'reversible_write',
    performedBy: 'bot',
    input: z.strictObject({ channel_id: Snowflake.describe('Where; this channel, if you say nothing') }),
    output: z.object({ panel: z.object({ channel_id: Snowflake, message_id: Snowflake }) }),
    target: ({ channel_id }) => ({ type: 'channel', id: channel_id }),
  }),
};
