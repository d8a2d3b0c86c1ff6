import { z } from 'zod';
import { id } from '../ids.ts';
import { operation } from './operation.ts';
import { page, pageInput, TICKET_STATUSES, Ticket } from './shapes.ts';

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
    capability: 'tickets.write',
    tier: 'reversible_write',
    performedBy: 'store',
    input: TicketPath,
    output: z.object({ ticket: Ticket }),
    target: ({ ticketId }) => ({ type: 'ticket', id: ticketId }),
  }),
};
