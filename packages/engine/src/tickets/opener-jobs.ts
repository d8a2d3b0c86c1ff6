import { type Queryable, sql } from '@bailiff/prisma';

/**
 * The two ways to queue a message to who opened a closed ticket.
 *
 * @param isWanted SQL: whether the guild wants it, of the ticket `t` and the guild's settings `s`
 */
export function openerJob(task: 'ask_feedback' | 'send_transcript', isWanted: string) {
  const job = (more = '') => `SELECT graphile_worker.add_job('${task}', json_build_object('ticket_id', t.id),
      job_key => '${task}:' || t.id, max_attempts => 5, priority => 10${more})`;
  const add = sql.command({
    parameters: [sql.text],
    text: `${job()} FROM tickets t JOIN ticket_settings s ON s.guild_id = t.guild_id WHERE t.id = $1 AND ${isWanted}`,
  });
  const addLater = sql.command({
    parameters: [sql.text],
    text: `${job(", run_at => clock_timestamp() + interval '20 seconds'")}
      FROM tickets t WHERE t.id = $1 AND t.closed_at > clock_timestamp() - interval '1 hour'`,
  });
  return {
    /** Queues it, if the guild wants it. */
    soon: async (db: Queryable, ticketId: string): Promise<void> => {
      await add.run(db, [ticketId]);
    },
    /** Schedules another attempt. False if the ticket was closed too long ago. */
    later: async (db: Queryable, ticketId: string): Promise<boolean> =>
      (await addLater.run(db, [ticketId])) === 1,
  };
}
