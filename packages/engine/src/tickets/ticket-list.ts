import { permissionBits, REOPENED_WITHIN_DAYS } from '@bailiff/core';
import { Bindings, type Database, sql, TargetNoticeState, TicketStatus } from '@bailiff/prisma';
import type { Progress } from '#src/calls/actions.ts';
import { capabilityDenied } from '#src/calls/authorize.ts';
import { pageInTurn } from '#src/database/in-turn.ts';
import { type Page, type PageStart, pageOf } from '#src/desk/paging.ts';
import type { Viewer } from '#src/guilds/guilds.ts';
import { TICKET, TICKET_COLUMNS, type TicketRow } from './tickets.ts';

/** Filters for the list of tickets. Absent fields filter nothing. */
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
  /** Absent in transcripts that were stored before this field existed. */
  readonly author_is_bot?: boolean;
  readonly reply_to?: string | null;
}

/** @throws ApiError CAPABILITY_DENIED: so do all functions below. */
export function requireTickets({ capabilities }: Viewer): void {
  if (!capabilities.includes('tickets.read'))
    throw capabilityDenied('tickets.read', 'You may not read tickets');
}

/** Each set of filters is its own text: 16 of them, from either end or in the middle. */
const ticketLists = sql.family('lists of tickets', 48);

/** A guild's tickets, newest first. */
export async function listTickets(
  db: Database,
  viewer: Viewer,
  filters: TicketFilters,
  { before, after, limit }: PageStart<number>,
): Promise<Page<TicketRow>> {
  requireTickets(viewer);
  const bindings = new Bindings();
  const conditions = [`guild_id = ${bindings.bind(sql.text, viewer.id)}`];
  const { status, openedBy, claimedBy, subject } = filters;
  if (status !== undefined) {
    conditions.push(`status = ${bindings.bind(sql.oneOf({ TicketStatus }), status)}`);
  }
  if (openedBy !== undefined) conditions.push(`opened_by = ${bindings.bind(sql.text, openedBy)}`);
  if (claimedBy !== undefined) conditions.push(`claimed_by = ${bindings.bind(sql.text, claimedBy)}`);
  if (subject !== undefined) {
    conditions.push(`strpos(lower(subject), lower(${bindings.bind(sql.text, subject)})) > 0`);
  }
  const from = after ?? before;
  if (from !== undefined) {
    conditions.push(`number ${after === undefined ? '<' : '>'} ${bindings.bind(sql.int, from)}`);
  }
  const text = `SELECT ${TICKET_COLUMNS} FROM tickets WHERE ${conditions.join(' AND ')}
    ORDER BY number ${after === undefined ? 'DESC' : 'ASC'} LIMIT ${bindings.bind(sql.bigint, limit + 1)}`;
  const { parameters, values } = bindings;
  const list = ticketLists.statement({ parameters, columns: TICKET, text });
  const rows = await pageInTurn(db, viewer.id, () => list.all(db.pool, values));
  return pageOf(rows, { before, after, limit }, ({ number }) => number);
}

/** How many tickets are waiting, and how many are claimed. */
export async function countTickets(db: Database, viewer: Viewer): Promise<{ open: number; claimed: number }> {
  requireTickets(viewer);
  const counts = await pageInTurn(db, viewer.id, async () =>
    db.prisma.ticket.groupBy({
      by: 'status',
      where: { guildId: viewer.id, status: { not: 'closed' } },
      _count: true,
    }),
  );
  const countOf = (wanted: TicketStatus) => counts.find(({ status }) => status === wanted)?._count ?? 0;
  return { open: countOf('open'), claimed: countOf('claimed') };
}

const ticketByNumber = sql.statement({
  parameters: [sql.text, sql.int],
  columns: {
    ...TICKET,
    messages: sql.int,
    is_cut: sql.bool,
    may_reopen: sql.bool.orNull,
    is_held: sql.bool,
    closing: sql.jsonb<Progress>().orNull,
    transcript_notice: sql.oneOf({ TargetNoticeState }).orNull,
  },
  text: `SELECT ${TICKET_COLUMNS}, coalesce(jsonb_array_length(transcript), 0) AS messages, is_cut,
      closed_at > clock_timestamp() - make_interval(days => ${REOPENED_WITHIN_DAYS}) AS may_reopen,
      claimed_by IS NOT NULL AND handles_tickets(guild_id, claimed_by) AS is_held,
      CASE WHEN transcript_notice = 'sending' AND closed_at < clock_timestamp() - interval '10 minutes' THEN 'unknown'
        ELSE transcript_notice END AS transcript_notice,
      (SELECT progress FROM actions a WHERE a.guild_id = tickets.guild_id AND a.target_id = tickets.id
         AND a.operation = 'tickets.close' AND a.state = 'running' ORDER BY a.id DESC LIMIT 1) AS closing
    FROM tickets WHERE guild_id = $1 AND number = $2`,
});

/** A ticket with what its page shows. */
export interface TicketFile {
  readonly ticket: TicketRow;
  /** Whether it was closed so lately that it can be opened again. */
  readonly mayReopen: boolean;
  /** Whether who claimed it may still work on tickets. Otherwise any moderator hands it over. */
  readonly isHeld: boolean;
  /** How many messages its transcript has: 0 until it is closed. Of one that was opened again, those before. */
  readonly messages: number;
  /** Whether messages are missing in the transcript. */
  readonly isCut: boolean;
  /** How much of the transcript is read, while the ticket is being closed. */
  readonly closing: Progress | null;
  /** What became of the transcript that was sent to its opener. Null if none was. */
  readonly notice: TargetNoticeState | null;
}

/** The ticket with this number. Null if there is none. */
export async function ticketFile(db: Database, viewer: Viewer, number: number): Promise<TicketFile | null> {
  requireTickets(viewer);
  // A transcript of 100,000 messages is some megabytes to unpack.
  const row = await pageInTurn(db, viewer.id, () => ticketByNumber.first(db.pool, [viewer.id, number]));
  if (row === null) return null;
  const {
    messages,
    is_cut: isCut,
    may_reopen: mayReopen,
    is_held: isHeld,
    closing,
    transcript_notice: notice,
    ...ticket
  } = row;
  return { ticket, mayReopen: mayReopen === true, isHeld, messages, isCut, closing, notice };
}

const ADMINISTRATOR = permissionBits(['Administrator']);

const seesChannel = sql.statement({
  parameters: [sql.text, sql.text, sql.timestamptz, sql.bigint],
  columns: { sees: sql.bool },
  text: `SELECT EXISTS (SELECT FROM members m JOIN roles r ON r.guild_id = m.guild_id AND r.id = ANY (m.role_ids)
        AND r.permissions & $4 <> 0 WHERE m.guild_id = $1 AND m.user_id = $2)
      OR EXISTS (SELECT FROM members m JOIN role_grants g ON g.guild_id = m.guild_id
        AND grant_reaches(g, m.role_ids)
        WHERE m.guild_id = $1 AND m.user_id = $2 AND g.granted_at <= $3
          AND g.capabilities && ARRAY['tickets.read', 'tickets.write']) AS sees`,
});

/**
 * Whether a moderator may be unable to write in a ticket's channel: it was made for the roles that were granted tickets
 * then, and Discord does not let the bot add others.
 */
export async function mayLackChannel(
  db: Database,
  { id: guildId, isOwner, userId }: Viewer & { readonly userId: string },
  ticket: TicketRow,
): Promise<boolean> {
  if (isOwner || ticket.status === 'closed' || ticket.opened_by === userId) return false;
  // Who opens it again gives it a new channel.
  const madeAt = ticket.reopened_at ?? ticket.opened_at;
  const { sees } = await seesChannel.only(db.pool, [guildId, userId, madeAt, ADMINISTRATOR]);
  return !sees;
}
