import type { Ticket, TicketStatus } from '@bailiff/core';
import type { z } from 'zod';
import { forbidden, notFound } from '#src/calls/action-errors.ts';
import type { Outcome } from '#src/calls/settle.ts';
import { actorUserId, type WriteCall } from '#src/calls/submit.ts';
import { only } from '#src/cases/cases.ts';
import type { Transaction } from '#src/database/transaction.ts';

export interface TicketRow {
  id: string;
  number: number;
  subject: string;
  status: TicketStatus;
  opened_by: string;
  channel_id: string | null;
  opened_at: Date;
  claimed_by: string | null;
  claimed_at: Date | null;
  closed_by: string | null;
  closed_at: Date | null;
  close_reason: string | null;
}

export const TICKET_COLUMNS =
  'id, number, subject, status, opened_by, channel_id, opened_at, claimed_by, claimed_at, closed_by, closed_at, close_reason';

export function ticketWire(row: TicketRow): z.output<typeof Ticket> {
  return {
    id: row.id,
    number: row.number,
    subject: row.subject,
    status: row.status,
    opened_by: row.opened_by,
    channel_id: row.channel_id,
    opened_at: row.opened_at.toISOString(),
    claimed_by: row.claimed_by,
    claimed_at: row.claimed_at?.toISOString() ?? null,
    closed_by: row.closed_by,
    closed_at: row.closed_at?.toISOString() ?? null,
    close_reason: row.close_reason,
  };
}

/** Opens a ticket under the guild's next number, in the transaction that settles it: no gaps. */
export async function openTicket(
  tx: Transaction,
  opened: { guildId: string; subject: string; openedBy: string; channelId: string },
): Promise<TicketRow> {
  const { rows } = await tx.query<TicketRow>(
    `WITH drawn AS (
       INSERT INTO guild_counters AS counter (guild_id, next_ticket_number) VALUES ($1, 2)
       ON CONFLICT (guild_id) DO UPDATE SET next_ticket_number = counter.next_ticket_number + 1
       RETURNING counter.next_ticket_number - 1 AS number)
     INSERT INTO tickets (guild_id, number, subject, opened_by, channel_id)
     SELECT $1, number, $2, $3, $4 FROM drawn RETURNING ${TICKET_COLUMNS}`,
    [opened.guildId, opened.subject, opened.openedBy, opened.channelId],
  );
  return only(rows);
}

/** Closes a ticket; one that is closed already stays as it was closed first. */
export async function closeTicket(
  tx: Transaction,
  closed: { id: string; closedBy: string; reason: string | null },
): Promise<TicketRow> {
  await tx.query(
    `UPDATE tickets SET status = 'closed', closed_by = $2, closed_at = clock_timestamp(), close_reason = $3
     WHERE id = $1 AND status <> 'closed'`,
    [closed.id, closed.closedBy, closed.reason],
  );
  const { rows } = await tx.query<TicketRow>(`SELECT ${TICKET_COLUMNS} FROM tickets WHERE id = $1`, [
    closed.id,
  ]);
  return only(rows);
}

/** Claims a ticket for the caller; claiming one's own claim again changes nothing (decisions: Operations). */
export async function claimTicket(tx: Transaction, call: WriteCall, ticketId: string): Promise<Outcome> {
  const ticket = await lockTicket(tx, call.guildId, ticketId);
  if (ticket === null) return { state: 'failed', error: notFound('ticket', ticketId) };
  const userId = actorUserId(call.actor);
  if (ticket.status === 'claimed' && ticket.claimed_by === userId) {
    return { state: 'done', write: async () => ({ ticket: ticketWire(ticket) }) };
  }
  if (ticket.status !== 'open') {
    const message =
      ticket.status === 'closed' ? 'The ticket is closed.' : `The ticket is claimed by ${ticket.claimed_by}.`;
    return { state: 'failed', error: { code: 'ALREADY_CLAIMED', message } };
  }
  return {
    state: 'done',
    write: async () => {
      const { rows } = await tx.query<TicketRow>(
        `UPDATE tickets SET status = 'claimed', claimed_by = $2, claimed_at = clock_timestamp()
         WHERE id = $1 RETURNING ${TICKET_COLUMNS}`,
        [ticketId, userId],
      );
      return { ticket: ticketWire(only(rows)) };
    },
  };
}

/** Releases a claim, by the claimer or the guild owner (decisions: Operations). */
export async function unclaimTicket(tx: Transaction, call: WriteCall, ticketId: string): Promise<Outcome> {
  const ticket = await lockTicket(tx, call.guildId, ticketId);
  if (ticket === null) return { state: 'failed', error: notFound('ticket', ticketId) };
  const userId = actorUserId(call.actor);
  if (ticket.status !== 'claimed')
    return { state: 'done', write: async () => ({ ticket: ticketWire(ticket) }) };
  if (ticket.claimed_by !== userId && ticket.owner_id !== userId) {
    return { state: 'failed', error: forbidden('NOT_CLAIMER') };
  }
  return {
    state: 'done',
    write: async () => {
      const { rows } = await tx.query<TicketRow>(
        `UPDATE tickets SET status = 'open', claimed_by = NULL, claimed_at = NULL
         WHERE id = $1 RETURNING ${TICKET_COLUMNS}`,
        [ticketId],
      );
      return { ticket: ticketWire(only(rows)) };
    },
  };
}

async function lockTicket(
  tx: Transaction,
  guildId: string,
  ticketId: string,
): Promise<(TicketRow & { owner_id: string }) | null> {
  const { rows } = await tx.query<TicketRow & { owner_id: string }>(
    `SELECT ${TICKET_COLUMNS}, (SELECT owner_id FROM guilds WHERE guilds.id = guild_id)
     FROM tickets WHERE id = $1 AND guild_id = $2 FOR UPDATE`,
    [ticketId, guildId],
  );
  return rows[0] ?? null;
}
