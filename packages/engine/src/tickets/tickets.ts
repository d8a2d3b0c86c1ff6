import { REOPENED_WITHIN_DAYS, type Ticket } from '@bailiff/core';
import { type Queryable, type RowOf, sql, TicketStatus } from '@bailiff/prisma';
import type { z } from 'zod';
import { forbidden, notFound } from '#src/calls/action-errors.ts';
import type { ActionError } from '#src/calls/actions.ts';
import type { StorePerformer } from '#src/calls/store-performers.ts';
import { actorUserId } from '#src/calls/submit.ts';
import type { Transaction } from '#src/database/transaction.ts';
import type { AskedTicket } from './ticket-settings.ts';

/** Columns of a ticket, without its transcript. */
export const TICKET = {
  id: sql.text,
  number: sql.int,
  subject: sql.text,
  status: sql.oneOf({ TicketStatus }),
  opened_by: sql.text,
  channel_id: sql.text.orNull,
  opened_at: sql.timestamptz,
  claimed_by: sql.text.orNull,
  claimed_at: sql.timestamptz.orNull,
  assigned_by: sql.text.orNull,
  closed_by: sql.text.orNull,
  closed_at: sql.timestamptz.orNull,
  close_reason: sql.text.orNull,
  reopened_at: sql.timestamptz.orNull,
  reopened_by: sql.text.orNull,
  close_asked_by: sql.text.orNull,
  closes_at: sql.timestamptz.orNull,
  category: sql.text.orNull,
  answers: sql.jsonb<z.output<typeof Ticket>['answers']>(),
};
export const TICKET_COLUMNS = sql.names(TICKET);
export type TicketRow = RowOf<typeof TICKET>;

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
    assigned_by: row.assigned_by,
    closed_by: row.closed_by,
    closed_at: row.closed_at?.toISOString() ?? null,
    close_reason: row.close_reason,
    reopened_at: row.reopened_at?.toISOString() ?? null,
    reopened_by: row.reopened_by,
    close_asked_by: row.close_asked_by,
    closes_at: row.closes_at?.toISOString() ?? null,
    category: row.category,
    answers: row.answers,
  };
}

const openTicketOf = sql.statement({
  parameters: [sql.text, sql.text, sql.text, sql.text, sql.text.orNull, sql.jsonb<TicketRow['answers']>()],
  columns: TICKET,
  text: `WITH drawn AS (
      INSERT INTO guild_counters AS counter (guild_id, next_ticket_number) VALUES ($1, 2)
      ON CONFLICT (guild_id) DO UPDATE SET next_ticket_number = counter.next_ticket_number + 1
      RETURNING counter.next_ticket_number - 1 AS number)
    INSERT INTO tickets (guild_id, number, subject, opened_by, channel_id, category, answers)
    SELECT $1, number, $2, $3, $4, $5, $6 FROM drawn RETURNING ${TICKET_COLUMNS}`,
});

/**
 * Opens a ticket under the guild's next number, in the transaction that settles the action, so that numbers have no
 * gaps.
 */
export function openTicket(
  tx: Transaction,
  opened: { guildId: string; subject: string; openedBy: string; channelId: string } & AskedTicket,
): Promise<TicketRow> {
  const { guildId, subject, openedBy, channelId, category, answers } = opened;
  return openTicketOf.only(tx, [guildId, subject, openedBy, channelId, category, answers]);
}

const NOBODY_ASKS = 'close_asked_at = NULL, close_asked_by = NULL, closes_at = NULL, close_agreed_at = NULL';

const closeOpenTicket = sql.command({
  parameters: [sql.text, sql.text, sql.text.orNull],
  text: `UPDATE tickets SET status = 'closed', closed_by = $2, closed_at = clock_timestamp(), close_reason = $3,
      ${NOBODY_ASKS}
    WHERE id = $1 AND status <> 'closed'`,
});

export const ticketById = sql.statement({
  parameters: [sql.text],
  columns: TICKET,
  text: `SELECT ${TICKET_COLUMNS} FROM tickets WHERE id = $1`,
});

/** Closes a ticket. A closed ticket keeps its first closing. */
export async function closeTicket(
  tx: Transaction,
  closed: { id: string; closedBy: string; reason: string | null },
): Promise<TicketRow> {
  await closeOpenTicket.run(tx, [closed.id, closed.closedBy, closed.reason]);
  return ticketById.only(tx, [closed.id]);
}

const reopenClosedTicket = sql.command({
  parameters: [sql.text, sql.text, sql.text],
  text: `UPDATE tickets SET channel_id = $2, reopened_at = clock_timestamp(), reopened_by = $3,
      closed_at = NULL, closed_by = NULL, close_reason = NULL, transcript_notice = NULL,
      status = CASE WHEN keeps THEN 'claimed' ELSE 'open' END::"TicketStatus",
      claimed_by = CASE WHEN keeps THEN claimed_by END, claimed_at = CASE WHEN keeps THEN claimed_at END,
      assigned_by = CASE WHEN keeps THEN assigned_by END
    FROM (SELECT claimed_by IS NOT NULL AND handles_tickets(guild_id, claimed_by) AS keeps FROM tickets
          WHERE id = $1) AS claim
    WHERE id = $1 AND status = 'closed'`,
});

/** Opens a closed ticket again, in a new channel. Its claimer keeps it if they may still work on tickets. */
export async function reopenTicket(
  tx: Transaction,
  reopened: { id: string; channelId: string; by: string },
): Promise<TicketRow> {
  await reopenClosedTicket.run(tx, [reopened.id, reopened.channelId, reopened.by]);
  return ticketById.only(tx, [reopened.id]);
}

const reopenable = sql.statement({
  parameters: [sql.text, sql.text, sql.bigint],
  columns: { id: sql.text, number: sql.int, subject: sql.text },
  text: `SELECT id, number, subject FROM tickets WHERE guild_id = $1 AND status = 'closed'
      AND closed_at > clock_timestamp() - make_interval(days => ${REOPENED_WITHIN_DAYS})
      AND ($2 = '' OR strpos(lower('#' || number || ' ' || subject), lower($2)) > 0)
    ORDER BY closed_at DESC, number DESC LIMIT $3`,
});

/** Closed tickets that can be opened again and whose number or subject contains `typed`, last closed first. */
export function reopenableTickets(
  db: Queryable,
  guildId: string,
  { typed, most }: { readonly typed: string; readonly most: number },
): Promise<{ id: string; number: number; subject: string }[]> {
  return reopenable.all(db, [guildId, typed, most]);
}

const claimOpenTicket = sql.statement({
  parameters: [sql.text, sql.text],
  columns: TICKET,
  text: `UPDATE tickets SET status = 'claimed', claimed_by = $2, claimed_at = clock_timestamp(), assigned_by = NULL
    WHERE id = $1 RETURNING ${TICKET_COLUMNS}`,
});

/** Claims a ticket for the caller. Claiming it again changes nothing (decisions: Operations). */
export const claimTicket: StorePerformer<'tickets.claim'> = async (tx, call) => {
  const { ticketId } = call.input;
  const ticket = await lockTicket(tx, call.guildId, ticketId);
  if (ticket === null) return { state: 'failed', error: notFound('ticket', ticketId) };
  const userId = actorUserId(call.actor);
  if (ticket.status === 'claimed' && ticket.claimed_by === userId) {
    return { state: 'done', write: async () => ({ ticket: ticketWire(ticket) }) };
  }
  if (ticket.status !== 'open') {
    return { state: 'failed', error: alreadyClaimed(ticket) };
  }
  return {
    state: 'done',
    write: async () => {
      return { ticket: ticketWire(await claimOpenTicket.only(tx, [ticketId, userId])) };
    },
  };
};

function alreadyClaimed({ status, claimed_by: by }: TicketRow): ActionError {
  const message = status === 'closed' ? 'The ticket is closed.' : `The ticket is claimed by ${by}.`;
  return { code: 'ALREADY_CLAIMED', message };
}

const assignableTo = sql.statement({
  parameters: [sql.text, sql.text, sql.text.orNull],
  columns: { is_assignable: sql.bool, is_held: sql.bool },
  text: `SELECT handles_tickets($1, $2) AS is_assignable, $3::text IS NOT NULL AND handles_tickets($1, $3) AS is_held`,
});

const assign = sql.command({ parameters: [sql.text, sql.text], text: 'SELECT assign_ticket($1, $2)' });

/** Gives a ticket to somebody who may work on it. Giving it to who has it changes nothing. */
export const assignTicket: StorePerformer<'tickets.assign'> = async (tx, call) => {
  const { ticketId, user_id: userId } = call.input;
  const ticket = await lockTicket(tx, call.guildId, ticketId);
  if (ticket === null) return { state: 'failed', error: notFound('ticket', ticketId) };
  if (ticket.status === 'closed') return { state: 'failed', error: alreadyClaimed(ticket) };
  if (ticket.claimed_by === userId) {
    return { state: 'done', write: async () => ({ ticket: ticketWire(ticket) }) };
  }
  const { claimed_by: claimer } = ticket;
  const found = await assignableTo.only(tx, [call.guildId, userId, claimer]);
  // Nobody can ask somebody who is gone to hand it over.
  if (found.is_held && ![claimer, ticket.owner_id].includes(actorUserId(call.actor))) {
    return { state: 'failed', error: forbidden('NOT_CLAIMER') };
  }
  if (!found.is_assignable) return { state: 'failed', error: forbidden('NOT_ASSIGNABLE') };
  return {
    state: 'done',
    write: async () => {
      await assign.run(tx, [ticketId, userId]);
      return { ticket: ticketWire(await ticketById.only(tx, [ticketId])) };
    },
  };
};

/** Of how many tickets it counts who claimed one. */
const LATELY = 500;

const peopleForTickets = sql.statement({
  parameters: [sql.text, sql.text.orNull, sql.bigint],
  columns: { user_id: sql.text, name: sql.text.orNull },
  text: `WITH lately AS (
      SELECT claimed_by, max(claimed_at) AS at FROM (
        SELECT claimed_by, claimed_at FROM tickets WHERE guild_id = $1 ORDER BY number DESC LIMIT ${LATELY}) AS latest
      GROUP BY claimed_by),
    people AS (
      SELECT owner_id AS user_id FROM guilds WHERE id = $1
      UNION
      SELECT m.user_id FROM members m JOIN role_grants r ON r.guild_id = m.guild_id AND grant_reaches(r, m.role_ids)
      WHERE m.guild_id = $1 AND 'tickets.write' = ANY (r.capabilities) AND NOT m.bot AND may_use_grants(m))
    SELECT people.user_id, coalesce(m.display_name, n.display_name) AS name FROM people
    LEFT JOIN members m ON m.guild_id = $1 AND m.user_id = people.user_id
    LEFT JOIN known_names n ON n.user_id = people.user_id AND $1 = ANY (n.guild_ids)
    LEFT JOIN lately ON lately.claimed_by = people.user_id
    WHERE people.user_id IS DISTINCT FROM $2
    ORDER BY lately.at DESC NULLS LAST, lower(m.display_name), people.user_id
    LIMIT $3`,
});

/** Who may work on a guild's tickets, other than `except`: first those who claimed one last. */
export function ticketHandlers(
  db: Queryable,
  guildId: string,
  { except, most }: { readonly except: string | null; readonly most: number },
): Promise<{ user_id: string; name: string | null }[]> {
  return peopleForTickets.all(db, [guildId, except, most]);
}

const releaseTicket = sql.statement({
  parameters: [sql.text],
  columns: TICKET,
  text: `UPDATE tickets SET status = 'open', claimed_by = NULL, claimed_at = NULL, assigned_by = NULL
    WHERE id = $1 RETURNING ${TICKET_COLUMNS}`,
});

/** Releases a claim, by the claimer or the guild owner (decisions: Operations). */
export const unclaimTicket: StorePerformer<'tickets.unclaim'> = async (tx, call) => {
  const { ticketId } = call.input;
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
      return { ticket: ticketWire(await releaseTicket.only(tx, [ticketId])) };
    },
  };
};

const lockTicketOfGuild = sql.statement({
  parameters: [sql.text, sql.text],
  columns: { ...TICKET, owner_id: sql.text },
  text: `SELECT ${TICKET_COLUMNS}, (SELECT owner_id FROM guilds WHERE guilds.id = guild_id)
    FROM tickets WHERE id = $1 AND guild_id = $2 FOR UPDATE`,
});

/** A ticket of a guild, locked, with the guild's owner. */
export function lockTicket(
  tx: Transaction,
  guildId: string,
  ticketId: string,
): Promise<(TicketRow & { owner_id: string }) | null> {
  return lockTicketOfGuild.first(tx, [ticketId, guildId]);
}
