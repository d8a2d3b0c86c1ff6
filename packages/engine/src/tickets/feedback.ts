import { type Database, type Queryable, sql, TargetNoticeState } from '@bailiff/prisma';
import { openerJob } from './opener-jobs.ts';

/** For how many days after its closing the opener of a ticket can say how the help was. */
export const RATED_WITHIN_DAYS = 14;

/** One closing of a ticket: a ticket that is opened again can be closed again. */
export interface Closing {
  readonly ticketId: string;
  readonly closedAt: Date;
}

/** Queues the question how the help was. Who helped themselves is not asked. */
export const feedbackJob = openerJob(
  'ask_feedback',
  's.asks_feedback AND t.opened_by IS DISTINCT FROM coalesce(t.claimed_by, t.closed_by)',
);

const claim = sql.statement({
  parameters: [sql.text],
  columns: {
    guild_id: sql.text,
    guild_name: sql.text,
    number: sql.int,
    opened_by: sql.text,
    closed_at: sql.timestamptz,
  },
  text: `WITH asked AS (
      INSERT INTO ticket_feedback (ticket_id, closed_at, guild_id, state)
      SELECT id, closed_at, guild_id, 'sending' FROM tickets WHERE id = $1 AND status = 'closed' AND closed_at IS NOT NULL
      ON CONFLICT DO NOTHING RETURNING ticket_id, closed_at)
    SELECT t.guild_id, g.name AS guild_name, t.number, t.opened_by, asked.closed_at
    FROM asked JOIN tickets t ON t.id = asked.ticket_id JOIN guilds g ON g.id = t.guild_id`,
});

/** Claims the question about the last closing. Null if it was claimed before: nobody is asked twice about one. */
export function claimQuestion(db: Database, ticketId: string) {
  return claim.first(db.pool, [ticketId]);
}

const settle = sql.command({
  parameters: [sql.text, sql.timestamptz, sql.oneOf({ TargetNoticeState })],
  text: 'UPDATE ticket_feedback SET state = $3 WHERE ticket_id = $1 AND closed_at = $2',
});

const giveBack = sql.command({
  parameters: [sql.text, sql.timestamptz],
  text: 'DELETE FROM ticket_feedback WHERE ticket_id = $1 AND closed_at = $2 AND rating IS NULL',
});

/** Records what became of the question. Null gives it back to another attempt. */
export async function settleQuestion(
  db: Database,
  { ticketId, closedAt }: Closing,
  state: TargetNoticeState | null,
): Promise<void> {
  await (state === null
    ? giveBack.run(db.pool, [ticketId, closedAt])
    : settle.run(db.pool, [ticketId, closedAt, state]));
}

/** Whose answer it is, and to which closing: the last one of a ticket that is still closed, for some days. */
const ASKED = `f.ticket_id = $1 AND f.closed_at = $2 AND t.id = f.ticket_id AND t.opened_by = $3
  AND t.closed_at = f.closed_at AND f.closed_at > clock_timestamp() - make_interval(days => ${RATED_WITHIN_DAYS})
  AND g.id = t.guild_id AND g.left_at IS NULL`;

const RECORDED = `recorded AS (
  INSERT INTO audit (guild_id, actor_source, actor_user_id, operation, target_type, target_id, outcome)
  SELECT guild_id, 'chat', $3, 'tickets.rate', 'ticket', $1, 'performed' FROM changed)`;

const rate = sql.statement({
  parameters: [sql.text, sql.timestamptz, sql.text, sql.int],
  columns: { number: sql.int },
  text: `WITH changed AS (
      UPDATE ticket_feedback f SET rating = $4, rated_at = clock_timestamp() FROM tickets t, guilds g
      WHERE ${ASKED} AND f.rating IS NULL RETURNING t.guild_id, t.number), ${RECORDED}
    SELECT number FROM changed`,
});

const isRated = sql.statement({
  parameters: [sql.text, sql.timestamptz, sql.text, sql.int],
  columns: { number: sql.int },
  text: `SELECT t.number FROM ticket_feedback f, tickets t, guilds g
    WHERE ${ASKED} AND f.rating = $4 AND f.text IS NULL`,
});

const addWords = sql.statement({
  parameters: [sql.text, sql.timestamptz, sql.text, sql.text],
  columns: { number: sql.int },
  text: `WITH changed AS (
      UPDATE ticket_feedback f SET text = $4 FROM tickets t, guilds g
      WHERE ${ASKED} AND f.rating IS NOT NULL AND f.text IS NULL RETURNING t.guild_id, t.number), ${RECORDED}
    SELECT number FROM changed`,
});

const isExplained = sql.statement({
  parameters: [sql.text, sql.timestamptz, sql.text, sql.text],
  columns: { number: sql.int },
  text: `SELECT t.number FROM ticket_feedback f, tickets t, guilds g WHERE ${ASKED} AND f.text = $4`,
});

/**
 * The number of the ticket, once its opener has rated the help. Null if they cannot, or have rated it otherwise before.
 * Who presses the same button again may not have seen the answer.
 */
export async function rateTicket(
  db: Queryable,
  { ticketId, closedAt }: Closing,
  userId: string,
  rating: number,
): Promise<number | null> {
  const given = [ticketId, closedAt, userId, rating] as const;
  return ((await rate.first(db, given)) ?? (await isRated.first(db, given)))?.number ?? null;
}

/** The number of the ticket, once a text was added to a rating. Null if none can be added, or another one was before. */
export async function explainRating(
  db: Queryable,
  { ticketId, closedAt }: Closing,
  userId: string,
  text: string,
): Promise<number | null> {
  const given = [ticketId, closedAt, userId, text] as const;
  return ((await addWords.first(db, given)) ?? (await isExplained.first(db, given)))?.number ?? null;
}

const FEEDBACK = {
  state: sql.oneOf({ TargetNoticeState }),
  rating: sql.int.orNull,
  text: sql.text.orNull,
  rated_at: sql.timestamptz.orNull,
};

const lastOfTicket = sql.statement({
  parameters: [sql.text],
  columns: FEEDBACK,
  text: `SELECT CASE WHEN state = 'sending' AND closed_at < clock_timestamp() - interval '10 minutes'
        THEN 'unknown' ELSE state END AS state, rating, text, rated_at
    FROM ticket_feedback WHERE ticket_id = $1 ORDER BY closed_at DESC LIMIT 1`,
});

/** What the opener of a ticket said of the help after its last closing. Null if they were not asked. */
export function feedbackOf(db: Database, ticketId: string) {
  return lastOfTicket.first(db.pool, [ticketId]);
}
