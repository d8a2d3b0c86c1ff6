import { type Queryable, sql } from '@bailiff/prisma';
import type { Job } from 'graphile-worker';

const addAgain = sql.statement({
  parameters: [sql.bigint, sql.text.orNull, sql.text, sql.float],
  columns: { id: sql.bigint },
  text: `SELECT again.id FROM graphile_worker._private_jobs j JOIN graphile_worker._private_tasks t ON t.id = j.task_id,
      graphile_worker.add_job(t.identifier, j.payload, job_key => $3, max_attempts => j.max_attempts,
        priority => j.priority, run_at => clock_timestamp() + make_interval(secs => $4)) AS again
    WHERE j.id = $1 AND j.key IS NOT DISTINCT FROM $2`,
});

/** The name under which a job is put off: its own, or one that no other job has. */
export function nameOf({ key, task_identifier, id }: Pick<Job, 'key' | 'task_identifier' | 'id'>): string {
  return key ?? `${task_identifier}:${id}`;
}

/**
 * Adds a job that runs again for later. Returns the id of the new job; null if another one has taken its name meanwhile,
 * which then does what there is to do.
 */
export async function putOff(
  db: Queryable,
  job: Pick<Job, 'key' | 'task_identifier' | 'id'>,
  ms: number,
): Promise<string | null> {
  return (await addAgain.first(db, [job.id, job.key, nameOf(job), ms / 1000]))?.id ?? null;
}
