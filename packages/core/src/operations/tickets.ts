import { z } from 'zod';
import { id, Snowflake } from '#src/ids.ts';
import {
  MOST_CATEGORY_CHARACTERS,
  MOST_TICKET_ANSWER_CHARACTERS,
  MOST_TICKET_QUESTIONS,
} from '#src/ticket-settings.ts';
import { EXAMPLE_IDS, exampleId, ISSUED_AT, LATER } from './example-values.ts';
import { list } from './list.ts';
import { operation, type Target } from './operation.ts';
import { Reason, TICKET_STATUSES, Ticket, text } from './shapes.ts';

/** The longest subject of a ticket, in characters. */
export const MOST_SUBJECT_CHARACTERS = 200;

/** For how many days after its closing a ticket can be opened again. */
export const REOPENED_WITHIN_DAYS = 14;

const TicketPath = z.strictObject({ ticketId: id('ticket') });

/** What claiming a ticket and releasing it have in common. */
const CLAIM = {
  dashboard: { on: 'own_page' },
  capability: 'tickets.write',
  tier: 'reversible_write',
  performedBy: 'store',
  input: TicketPath,
  output: z.object({ ticket: Ticket }),
  notFound: 'ticket',
  target: ({ ticketId }: z.output<typeof TicketPath>): Target => ({ type: 'ticket', id: ticketId }),
} as const;

const TICKET: z.output<typeof Ticket> = {
  id: exampleId('ticket'),
  number: 7,
  subject: 'My house was griefed',
  status: 'open',
  opened_by: EXAMPLE_IDS.user,
  channel_id: EXAMPLE_IDS.channel,
  opened_at: ISSUED_AT,
  claimed_by: null,
  claimed_at: null,
  assigned_by: null,
  closed_by: null,
  closed_at: null,
  close_reason: null,
  reopened_at: null,
  reopened_by: null,
  close_asked_by: null,
  closes_at: null,
  category: null,
  answers: [],
};

export const tickets = {
  'tickets.list': operation({
    summary: 'List tickets, newest first',
    http: { method: 'GET', path: '/tickets', success: 200 },
    tool: { name: 'list_tickets' },
    capability: 'tickets.read',
    ...list(Ticket, {
      filters: {
        status: z.enum(TICKET_STATUSES).optional().describe('Only tickets with this status'),
      },
      asked: { status: 'open' },
      found: [TICKET],
    }),
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
    example: {
      input: { ticketId: TICKET.id },
      output: TICKET,
    },
    notFound: 'ticket',
    target: ({ ticketId }) => ({ type: 'ticket', id: ticketId }),
  }),
  'tickets.claim': operation({
    summary: 'Claim a ticket',
    http: { method: 'POST', path: '/tickets/{ticketId}/claim', success: 200, idempotent: true },
    tool: { name: 'claim_ticket' },
    chat: { command: 'ticket claim', shownTo: 'Administrator' },
    ...CLAIM,
    example: {
      input: { ticketId: TICKET.id },
      output: {
        ticket: { ...TICKET, status: 'claimed', claimed_by: EXAMPLE_IDS.issuer, claimed_at: LATER },
      },
    },
    errors: ['ALREADY_CLAIMED'],
  }),
  'tickets.assign': operation({
    summary: 'Give a ticket to somebody who may work on it',
    http: { method: 'POST', path: '/tickets/{ticketId}/assign', success: 200, idempotent: true },
    tool: { name: 'assign_ticket' },
    chat: { command: 'ticket assign', shownTo: 'Administrator' },
    ...CLAIM,
    input: TicketPath.extend({ user_id: Snowflake.describe('Who takes care of it from now on') }),
    example: {
      input: { ticketId: TICKET.id, user_id: EXAMPLE_IDS.moderator },
      output: {
        ticket: {
          ...TICKET,
          status: 'claimed',
          claimed_by: EXAMPLE_IDS.moderator,
          claimed_at: LATER,
          assigned_by: EXAMPLE_IDS.issuer,
        },
      },
    },
    errors: ['ALREADY_CLAIMED'],
  }),
  'tickets.unclaim': operation({
    summary: 'Release a claimed ticket, so that it is open again',
    http: { method: 'POST', path: '/tickets/{ticketId}/unclaim', success: 200, idempotent: true },
    tool: { name: 'release_ticket' },
    chat: { command: 'ticket release', shownTo: 'Administrator' },
    ...CLAIM,
    example: {
      input: { ticketId: TICKET.id },
      output: { ticket: TICKET },
    },
  }),
  'tickets.open': operation({
    summary: 'Open a ticket, in a channel of its own',
    http: null,
    tool: null,
    chat: { command: 'ticket open', shownTo: 'everyone' },
    capability: 'none',
    reader: 'tickets.read',
    tier: 'reversible_write',
    performedBy: 'bot',
    botPermissions: ['ManageChannels', 'ViewChannel', 'SendMessages'],
    input: z.strictObject({
      subject: text(MOST_SUBJECT_CHARACTERS).describe('What it is about'),
      ticket_category: text(MOST_CATEGORY_CHARACTERS).optional().describe("One of the server's categories"),
      /** To the questions of the category, in their order. Without them nothing was asked. */
      answers: z.array(text(MOST_TICKET_ANSWER_CHARACTERS)).max(MOST_TICKET_QUESTIONS).optional(),
    }),
    output: z.object({ ticket: Ticket }),
    example: {
      input: { subject: TICKET.subject },
      output: { ticket: TICKET },
    },
    notFound: null,
    target: () => null,
  }),
  'tickets.close': operation({
    summary: 'Close a ticket: its channel is deleted, its transcript kept',
    http: null,
    tool: null,
    chat: { command: 'ticket close', shownTo: 'Administrator' },
    dashboard: { on: 'own_page' },
    capability: 'tickets.write',
    tier: 'reversible_write',
    performedBy: 'bot',
    botPermissions: ['ManageChannels', 'ReadMessageHistory'],
    input: z.strictObject({ ticket_id: id('ticket'), reason: Reason.optional() }),
    output: z.object({ ticket: Ticket }),
    example: {
      input: { ticket_id: TICKET.id, reason: 'Rebuilt from a backup' },
      output: {
        ticket: {
          ...TICKET,
          status: 'closed',
          channel_id: null,
          closed_by: EXAMPLE_IDS.issuer,
          closed_at: LATER,
          close_reason: 'Rebuilt from a backup',
        },
      },
    },
    notFound: 'ticket',
    target: ({ ticket_id }) => ({ type: 'ticket', id: ticket_id }),
  }),
  'tickets.ask': operation({
    summary: 'Ask the opener of a ticket whether it is solved; without an answer it closes by itself',
    http: null,
    tool: null,
    chat: { command: 'ticket solved', shownTo: 'Administrator' },
    dashboard: { on: 'own_page' },
    capability: 'tickets.write',
    tier: 'reversible_write',
    performedBy: 'store',
    input: z.strictObject({ ticket_id: id('ticket') }),
    output: z.object({ ticket: Ticket }),
    example: {
      input: { ticket_id: TICKET.id },
      output: { ticket: { ...TICKET, close_asked_by: EXAMPLE_IDS.issuer, closes_at: LATER } },
    },
    notFound: 'ticket',
    target: ({ ticket_id }) => ({ type: 'ticket', id: ticket_id }),
  }),
  'tickets.reopen': operation({
    summary: 'Open a closed ticket again, in a new channel',
    http: null,
    tool: null,
    chat: { command: 'ticket reopen', shownTo: 'Administrator' },
    dashboard: { on: 'own_page' },
    capability: 'tickets.write',
    tier: 'reversible_write',
    performedBy: 'bot',
    botPermissions: ['ManageChannels', 'ViewChannel', 'SendMessages'],
    input: z.strictObject({
      closed_ticket_id: id('ticket').describe(
        `Which one; of those that were closed in the last ${REOPENED_WITHIN_DAYS} days`,
      ),
    }),
    output: z.object({ ticket: Ticket }),
    example: {
      input: { closed_ticket_id: TICKET.id },
      output: { ticket: { ...TICKET, reopened_at: LATER, reopened_by: EXAMPLE_IDS.issuer } },
    },
    notFound: 'ticket',
    target: ({ closed_ticket_id }) => ({ type: 'ticket', id: closed_ticket_id }),
  }),
  'tickets.panel': operation({
    summary: 'Post a button that opens tickets',
    http: null,
    tool: null,
    chat: { command: 'ticket panel', shownTo: 'Administrator' },
    capability: 'tickets.write',
    tier: 'reversible_write',
    performedBy: 'bot',
    botPermissions: ['ViewChannel', 'SendMessages'],
    input: z.strictObject({ channel_id: Snowflake.describe('Where; this channel, if you say nothing') }),
    output: z.object({ panel: z.object({ channel_id: Snowflake, message_id: Snowflake }) }),
    example: {
      input: { channel_id: EXAMPLE_IDS.channel },
      output: { panel: { channel_id: EXAMPLE_IDS.channel, message_id: EXAMPLE_IDS.message } },
    },
    notFound: 'channel',
    target: ({ channel_id }) => ({ type: 'channel', id: channel_id }),
  }),
};
