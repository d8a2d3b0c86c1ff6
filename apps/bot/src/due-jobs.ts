import { setTimeout as delay } from 'node:timers/promises';
import { type Queryable, sql } from '@bailiff/prisma';
import type { WorkerEvents, WorkerPool } from 'graphile-worker';
import type { Logger } from './log.ts';

const LOOK_EVERY_MS = 1_000;

const dueTasks = sql.statement({
  parameters: [],
  columns: { task: sql.text, jobs: sql.int },
  text: `SELECT t.identifier AS task, count(*)::int AS jobs FROM graphile_worker._private_jobs j
         JOIN graphile_worker._private_tasks t ON t.id = j.task_id
         WHERE j.is_available AND j.run_at <= now() GROUP BY t.identifier`,
});

export interface DueJobs {
  stop(): Promise<void>;
}

/**
 * Wakes the workers whose jobs are due: those whose time has come, and those whose notification was lost. One statement
 * a second looks for all of them. If each idle worker looked by itself, an idle bot would send 57.
 *
 * @param workersOf the workers that perform a task
 */
export function watchDueJobs(
  db: Queryable,
  log: Logger,
  workersOf: (task: string) => WorkerPool | undefined,
): DueJobs {
  const stopping = new AbortController();
  const { signal } = stopping;
  const look = async () => {
    for (const { task, jobs } of await dueTasks.all(db, [])) workersOf(task)?.nudge(jobs);
  };
  const looking = (async () => {
    while (!signal.aborted) {
      await look().catch((error: unknown) =>
        log.warn({ err: error }, 'could not look for jobs that are due'),
      );
      await delay(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
    }
  })();
  return {
    stop: () => {
      stopping.abort();
      return looking;
    },
  };
}

const LEAVES_WITHIN_MS = 1_000;
const LOOK_AGAIN_MS = 10;

/** A job that still holds its queue. One that has failed stays in the table, and holds it no more. */
const heldJob = sql.statement({
  parameters: [sql.bigint],
  columns: { id: sql.bigint },
  text: 'SELECT id FROM graphile_worker._private_jobs WHERE id = $1 AND locked_at IS NOT NULL',
});

/**
 * Wakes a worker when a job has left its named queue. The library looks for the next one while it takes the last one
 * off, may find the queue still locked, and would not look again until its next poll.
 */
export function wakeBehindQueuedJobs(
  events: WorkerEvents,
  db: Queryable,
  { log, closing }: { readonly log: Logger; readonly closing: AbortSignal },
): void {
  const wakeBehind = async (jobId: string, workers: WorkerPool) => {
    const late = performance.now() + LEAVES_WITHIN_MS;
    while (!closing.aborted && performance.now() < late && (await heldJob.first(db, [jobId])) !== null) {
      await delay(LOOK_AGAIN_MS);
    }
    if (!closing.aborted) workers.nudge(1);
  };
  events.on('job:complete', ({ worker, job }) => {
    if (job.job_queue_id === null) return;
    wakeBehind(job.id, worker.workerPool).catch((error: unknown) =>
      log.warn({ err: error }, 'could not look for the job behind one that ended'),
    );
  });
}
