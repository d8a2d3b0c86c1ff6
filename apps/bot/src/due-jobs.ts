import { setTimeout as delay } from 'node:timers/promises';
import { type Queryable, sql } from '@bailiff/prisma';
import type { WorkerPool } from 'graphile-worker';
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
