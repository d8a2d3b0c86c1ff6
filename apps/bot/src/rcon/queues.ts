import { type Queryable, sql } from '@bailiff/prisma';

/**
 * Longer than any connection to a game server lives: a command's ends with its action's deadline of 8 s, a check's after
 * 2 s (DEADLINES of the engine, CHECK_TIMEOUT_MS).
 */
const LONGEST_HOLD_SECONDS = 10;

const freeQueues = sql.command({
  parameters: [sql.float],
  text: `UPDATE graphile_worker._private_job_queues SET locked_by = NULL, locked_at = NULL
    WHERE queue_name LIKE 'srv\\_%' AND locked_at < clock_timestamp() - make_interval(secs => $1)`,
});

/**
 * Unlocks the queues of game servers that a dead worker held. The queue itself would wait four hours. Nothing runs
 * twice: an action is claimed once, and a check is harmless.
 */
export async function freeServerQueues(db: Queryable): Promise<void> {
  await freeQueues.run(db, [LONGEST_HOLD_SECONDS]);
}
