import { type Database, type Queryable, sql } from '@bailiff/prisma';
import { notFound } from '#src/calls/action-errors.ts';
import type { StorePerformer } from '#src/calls/store-performers.ts';
import { inTransaction, type Transaction } from '#src/database/transaction.ts';
import { lockTicket, TICKET, TICKET_COLUMNS, type TicketRow, ticketById, ticketWire } from './tickets.ts';

/** After this, Discord may not know a repetition of the question any more. */
const LATE_AFTER = '1 minute';

const ask = sql.command({ parameters: [sql.text], text: 'SELECT ask_to_close($1)' });

/** Asks the opener whether their ticket is solved. Asking again while they are asked puts nothing off. */
export const askToClose: StorePerformer<'tickets.ask'> = async (tx, call) => {
  const { ticket_id: id } = call.input;
  const ticket = await lockTicket(tx, call.guildId, id);
  if (ticket === null) return { state: 'failed', error: notFound('ticket', id) };
  if (ticket.status === 'closed') {
    const message = `Ticket #${ticket.number} is closed already.`;
    return { state: 'failed', error: { code: 'NOT_FOUND', message } };
  }
  return {
    state: 'done',
    write: async () => {
      await ask.run(tx, [id]);
      return { ticket: ticketWire(await ticketById.only(tx, [id])) };
    },
  };
};

const agreed = sql.statement({
  parameters: [sql.text, sql.text, sql.text],
  columns: TICKET,
  text: `UPDATE tickets SET close_agreed_at = clock_timestamp(), closes_at = clock_timestamp()
    WHERE id = $1 AND guild_id = $2 AND opened_by = $3 AND status <> 'closed' AND close_asked_at IS NOT NULL
    RETURNING ${TICKET_COLUMNS}`,
});

const kept = sql.statement({
  parameters: [sql.text, sql.text, sql.text],
  columns: TICKET,
  text: `UPDATE tickets SET close_asked_at = NULL, close_asked_by = NULL, closes_at = NULL, close_agreed_at = NULL
    WHERE id = $1 AND guild_id = $2 AND opened_by = $3 AND status <> 'closed'
    RETURNING ${TICKET_COLUMNS}`,
});

// A person's closing goes on whatever the opener says; and that of the system, once it deletes the channel.
const isClosing = sql.statement({
  parameters: [sql.text, sql.text],
  columns: { is_closing: sql.bool },
  text: `SELECT EXISTS (
      SELECT FROM actions WHERE guild_id = $2 AND target_id = $1 AND operation = 'tickets.close'
        AND state IN ('pending', 'running', 'unknown') AND looked_at IS DISTINCT FROM 'infinity'
        AND (actor_source <> 'system' OR coalesce((work->>'isDeleting')::boolean, false))) AS is_closing`,
});

/**
 * The answer of a ticket's opener. Null if it is somebody else's ticket, if it is too late to keep it open, or if nobody
 * asks them any more and they do not say once more that it stays open: they may not have seen that it does.
 */
export function answerCloseQuestion(
  db: Database,
  { ticketId, guildId, userId }: { ticketId: string; guildId: string; userId: string },
  isSolved: boolean,
): Promise<TicketRow | null> {
  if (isSolved) return agreed.first(db.pool, [ticketId, guildId, userId]);
  return inTransaction(db, async (tx) => {
    // Whoever is about to delete the channel looks at the question under the same lock (isStillAsked).
    await lockTicket(tx, guildId, ticketId);
    const { is_closing } = await isClosing.only(tx, [ticketId, guildId]);
    return is_closing ? null : kept.first(tx, [ticketId, guildId, userId]);
  });
}

/** Whether the opener has written since they were asked, by what an action has read. */
const HAS_WRITTEN = `EXISTS (SELECT FROM action_pages, jsonb_array_elements(messages) AS m
        WHERE action_id = $2 AND m->>'author_id' = opened_by AND (m->>'sent_at')::timestamptz > close_asked_at)`;

const stillAsked = sql.command({
  parameters: [sql.text, sql.text],
  text: `SELECT FROM tickets WHERE id = $1 AND close_asked_at IS NOT NULL
      AND closes_at <= clock_timestamp() + interval '1 second' AND (close_agreed_at IS NOT NULL OR NOT ${HAS_WRITTEN})
    FOR NO KEY UPDATE OF tickets`,
});

/**
 * Whether a closing by the system may still delete the channel: its opener has neither kept the ticket open nor, by what
 * the action has read, written since they were asked. An answer that comes after this is refused.
 */
export async function isStillAsked(db: Database, ticketId: string, actionId: string): Promise<boolean> {
  return (await stillAsked.run(db.pool, [ticketId, actionId])) === 1;
}

const endIfObjected = sql.command({
  parameters: [sql.text, sql.text],
  text: `UPDATE tickets SET close_asked_at = NULL, close_asked_by = NULL, closes_at = NULL, close_agreed_at = NULL
    WHERE id = $1 AND status <> 'closed' AND EXISTS (
      SELECT FROM actions WHERE id = $2 AND actor_source = 'system'
        AND (stopped_by IS NOT NULL OR close_agreed_at IS NULL AND ${HAS_WRITTEN}))`,
});

/**
 * Asks the opener no more whether a ticket is solved if somebody has stopped the closing by the system, or, by what it
 * has read, the opener has written since.
 */
export async function endQuestionIfObjected(
  tx: Transaction,
  ticketId: string,
  actionId: string,
): Promise<void> {
  await endIfObjected.run(tx, [ticketId, actionId]);
}

/** What else makes a ticket due. While the job that posts the question is in the queue, the opener was not asked. */
const MAY_BE_CLOSED = `(close_agreed_at IS NOT NULL
      OR NOT EXISTS (SELECT FROM graphile_worker.jobs WHERE key = 'ask_opener:' || tickets.id))`;

const asked = sql.statement({
  parameters: [sql.text],
  columns: {
    ...TICKET,
    guild_id: sql.text,
    close_asked_at: sql.timestamptz.neverNull,
    closes_at: sql.timestamptz.neverNull,
    close_asked_by: sql.text.neverNull,
    channel_id: sql.text.neverNull,
    is_due: sql.bool,
    is_agreed: sql.bool,
    is_late: sql.bool,
    answered_by: sql.timestamptz.neverNull,
  },
  // A second is allowed: the queue found the job due by a clock that may have stepped back a little since.
  text: `SELECT ${TICKET_COLUMNS}, guild_id, close_asked_at,
      closes_at <= clock_timestamp() + interval '1 second' AND ${MAY_BE_CLOSED} AS is_due,
      close_agreed_at IS NOT NULL AS is_agreed, is_late,
      CASE WHEN is_late THEN clock_timestamp() + (closes_at - close_asked_at) ELSE closes_at END AS answered_by
    FROM tickets CROSS JOIN LATERAL (
      SELECT close_asked_at < clock_timestamp() - interval '${LATE_AFTER}' AS is_late) AS posting
    WHERE id = $1 AND status <> 'closed' AND close_asked_at IS NOT NULL AND channel_id IS NOT NULL`,
});

/**
 * A ticket whose opener is asked whether it is solved. Null if they are not. It is late if the question should have been
 * posted long ago; `answered_by` is until when they may answer one that is posted now.
 */
export function askedToClose(db: Database, ticketId: string) {
  return asked.first(db.pool, [ticketId]);
}

const putOff = sql.command({
  parameters: [sql.text, sql.timestamptz, sql.timestamptz],
  text: `UPDATE tickets SET close_asked_at = $3, closes_at = $3::timestamptz + (closes_at - close_asked_at)
    WHERE id = $1 AND close_asked_at = $2 AND close_agreed_at IS NULL`,
});

/**
 * Gives a ticket's opener, whose question was posted late, all their time from then on. What they wrote before is no
 * answer.
 */
export async function putOffClosing(
  db: Database,
  ticket: { readonly id: string; readonly close_asked_at: Date },
  postedAt: Date,
): Promise<void> {
  await putOff.run(db.pool, [ticket.id, ticket.close_asked_at, postedAt]);
}

const addUnasked = sql.command({
  parameters: [],
  text: `SELECT graphile_worker.add_job('ask_opener', json_build_object('ticket_id', t.id), job_key => j.key,
      max_attempts => 10)
    FROM graphile_worker.jobs j JOIN tickets t ON t.id = split_part(j.key, ':', 2)
    WHERE j.task_identifier = 'ask_opener' AND j.attempts >= j.max_attempts AND j.locked_at IS NULL
      AND t.close_asked_at IS NOT NULL`,
});

const addDue = sql.command({
  parameters: [],
  text: `SELECT graphile_worker.add_job('close_due_ticket', json_build_object('ticket_id', id),
      job_key => 'close_due_ticket:' || id, max_attempts => 10)
    FROM tickets WHERE closes_at <= clock_timestamp() AND status <> 'closed' AND ${MAY_BE_CLOSED} AND NOT EXISTS (
      SELECT FROM actions a WHERE a.guild_id = tickets.guild_id AND a.target_id = tickets.id
        AND a.operation = 'tickets.close' AND a.state IN ('pending', 'running'))`,
});

/**
 * Queues the closing of each ticket whose time has come, and the question of each that is not posted yet: a job that
 * failed too often is given up.
 */
export async function closeDueTickets(db: Queryable): Promise<void> {
  await addUnasked.run(db, []);
  await addDue.run(db, []);
}
