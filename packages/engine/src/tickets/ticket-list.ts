import type { TicketStatus } from '@bailiff/core';
import type { Database } from '@bailiff/prisma';
import { capabilityDenied } from '#src/calls/authorize.ts';
import { only } from '#src/cases/cases.ts';
import { type Place, type Sheet, sheetOf } from '#src/desk/paging.ts';
import type { Viewer } from '#src/guilds/guilds.ts';
import { TICKET_COLUMNS, type TicketRow } from './tickets.ts';

/** What narrows the list of tickets; what is absent narrows nothing. */
export interface TicketFilters {
  readonly status?: TicketStatus | undefined;
  readonly openedBy?: string | undefined;
  readonly claimedBy?: string | undefined;
  /** Part of the subject. */
  readonly subject?: string | undefined;
}

/** A message as the transcript of a ticket keeps it. */
export interface TranscriptMessage {
  readonly id: string;
  readonly author_id: string;
  readonly author_name: string;
  readonly sent_at: string;
  readonly text: string;
  readonly attachments: readonly string[];
  /** Of a transcript kept before these were, absent. */
  readonly author_is_bot?: boolean;
  readonly reply_to?: string | null;
}

/** @throws ApiError CAPABILITY_DENIED: so do all functions below. */
function requireTickets({ capabilities }: Viewer): void {
  if (!capabilities.includes('tickets.read'))
    throw capabilityDenied('tickets.read', 'You may not read tickets');
}

/** A guild's tickets, newest first. */
export async function listTickets(
  db: Database,
  viewer: Viewer,
  filters: TicketFilters,
  { before, after, limit }: Place<number>,
): Promise<Sheet<TicketRow>> {
  requireTickets(viewer);
  const values: unknown[] = [viewer.id];
  const bound = (value: unknown) => `$${values.push(value)}`;
  const conditions = ['guild_id = $1'];
  if (filters.status !== undefined) conditions.push(`status = ${bound(filters.status)}`);
  if (filters.openedBy !== undefined) conditions.push(`opened_by = ${bound(filters.openedBy)}`);
  if (filters.claimedBy !== undefined) conditions.push(`claimed_by = ${bound(filters.claimedBy)}`);
  if (filters.subject !== undefined) {
    conditions.push(`strpos(lower(subject), lower(${bound(filters.subject)})) > 0`);
  }
  const from = after ?? before;
  if (from !== undefined) conditions.push(`number ${after === undefined ? '<' : '>'} ${bound(from)}`);
  const { rows } = await db.pool.query<TicketRow>(
    `SELECT ${TICKET_COLUMNS} FROM tickets WHERE ${conditions.join(' AND ')}
     ORDER BY number ${after === undefined ? 'DESC' : 'ASC'} LIMIT ${bound(limit + 1)}`,
    values,
  );
  return sheetOf(rows, { before, after, limit }, ({ number }) => number);
}

/** How many tickets wait for somebody, and how many somebody has taken up. */
export async function countTickets(db: Database, viewer: Viewer): Promise<{ open: number; claimed: number }> {
  requireTickets(viewer);
  const { rows } = await db.pool.query<{ open: number; claimed: number }>({
    name: 'count_tickets',
    text: `SELECT count(*) FILTER (WHERE status = 'open')::int AS open,
             count(*) FILTER (WHERE status = 'claimed')::int AS claimed
           FROM tickets WHERE guild_id = $1 AND status IN ('open', 'claimed')`,
    values: [viewer.id],
  });
  return only(rows);
}

/** A ticket and what was written in it; the transcript is null until it is closed. Null where there is none of this number. */
export async function ticketFile(
  db: Database,
  viewer: Viewer,
  number: number,
): Promise<{ ticket: TicketRow; transcript: readonly TranscriptMessage[] | null } | null> {
  requireTickets(viewer);
  const { rows } = await db.pool.query<TicketRow & { transcript: readonly TranscriptMessage[] | null }>({
    name: 'ticket_by_number',
    text: `SELECT ${TICKET_COLUMNS}, CASE WHEN status = 'closed' THEN transcript END AS transcript
           FROM tickets WHERE guild_id = $1 AND number = $2`,
    values: [viewer.id, number],
  });
  const [row] = rows;
  if (row === undefined) return null;
  const { transcript, ...ticket } = row;
  return { ticket, transcript };
}
