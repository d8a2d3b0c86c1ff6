import { type Queryable, sql } from '@bailiff/prisma';
import type { JobPayloads } from './jobs.ts';
import { freeServerQueues } from './rcon/queues.ts';

/** Jobs that end within a minute, because each request of theirs has a deadline, and that may run again. */
const SHORT = [
  'announce_assignment',
  'ask_feedback',
  'ask_opener',
  'confirm_session',
  'learn_channel',
  'learn_subject',
  'mirror_guild',
  'open_log_channel',
  'post_action',
  'post_appeal',
  'post_case',
  'post_join',
  'post_words',
  'renew_mute',
  'send_transcript',
  'tell_appeal',
  'tell_guild',
  'tell_reporter',
  'tell_target',
  'welcome_ticket',
  'withdraw_announcement',
] as const satisfies readonly (keyof JobPayloads)[];

/** Discord still knows then what such a job has sent, so that it posts no second message. */
const LONGEST_HOLD = '2 minutes';

/** Jobs that were queued again while they were held: others run in their place. Unlocked, they would count as failed. */
const dropReplaced = sql.command({
  parameters: [sql.arrayOf(sql.text)],
  text: `DELETE FROM graphile_worker._private_jobs j USING graphile_worker._private_tasks t
    WHERE t.id = j.task_id AND t.identifier = ANY ($1) AND j.key IS NULL AND j.attempts >= j.max_attempts
      AND j.locked_at < clock_timestamp() - interval '${LONGEST_HOLD}'`,
});

const freeShort = sql.command({
  parameters: [sql.arrayOf(sql.text)],
  text: `UPDATE graphile_worker._private_jobs j SET locked_by = NULL, locked_at = NULL
    FROM graphile_worker._private_tasks t
    WHERE t.id = j.task_id AND t.identifier = ANY ($1)
      AND j.locked_at < clock_timestamp() - interval '${LONGEST_HOLD}'`,
});

/**
 * Unlocks what a dead worker held: the queues of game servers, and short jobs. The queue itself would wait four hours,
 * with a ticket that nobody is told of and a person who does not learn what became of their appeal.
 */
export async function freeHeldJobs(db: Queryable): Promise<void> {
  await freeServerQueues(db);
  await dropReplaced.run(db, [SHORT]);
  await freeShort.run(db, [SHORT]);
}
