import { MOST_OF_GUILD } from '@bailiff/engine/worker/lanes';
import { type Queryable, sql } from '@bailiff/prisma';
import type { JobHelpers } from 'graphile-worker';
import { putOff } from './put-off.ts';

/** After a minute it comes by itself: the process that would have called it up may have died. */
const PUT_OFF_MS = 60_000;

const callUp = sql.command({
  parameters: [sql.bigint, sql.float],
  // What it is about may have been given another end meanwhile, and the job with it.
  text: `SELECT graphile_worker.reschedule_jobs(ARRAY[id], run_at => clock_timestamp())
    FROM graphile_worker._private_jobs WHERE id = $1 AND run_at <= clock_timestamp() + make_interval(secs => $2)`,
});

const guildOfCaseId = sql.statement({
  parameters: [sql.text],
  columns: { guild_id: sql.text },
  text: 'SELECT guild_id FROM cases WHERE id = $1',
});

/** The guild of a case. Null if it is gone. */
export async function guildOfCase(db: Queryable, caseId: string): Promise<string | null> {
  return (await guildOfCaseId.first(db, [caseId]))?.guild_id ?? null;
}

/**
 * Places in a lane that jobs share, so that those of one kind leave places for others. Two jobs of a guild run at once in
 * a process: the thousand bans of one that end together leave places for other guilds. A job beyond is put off, and
 * called up when one that it shares places with has ended.
 */
export class SharedPlaces {
  readonly #db: Queryable;
  readonly #most: number;
  readonly #running = new Map<string, number>();
  /** The ids of the jobs that were put off, by what they share places with. */
  readonly #waiting = new Map<string, string[]>();

  /** @param most how many jobs that share places run at once */
  constructor(db: Queryable, most = MOST_OF_GUILD) {
    this.#db = db;
    this.#most = most;
  }

  /**
   * The task, whose jobs run when they have a place.
   *
   * @param sharedBy what the jobs are of that share places, such as a guild; null if this one shares none
   */
  sharing(
    sharedBy: (payload: unknown) => Promise<string | null>,
    task: (payload: unknown) => Promise<void>,
  ): (payload: unknown, helpers: Pick<JobHelpers, 'job'>) => Promise<void> {
    return async (payload, { job }) => {
      const key = await sharedBy(payload);
      if (key === null) return task(payload);
      if (this.#runningOf(key) >= this.#most) return this.#wait(key, job);
      this.#running.set(key, this.#runningOf(key) + 1);
      try {
        await task(payload);
      } finally {
        this.#leave(key);
        await this.#callNext(key);
      }
    };
  }

  #runningOf(key: string): number {
    return this.#running.get(key) ?? 0;
  }

  #leave(key: string): void {
    const left = this.#runningOf(key) - 1;
    if (left > 0) this.#running.set(key, left);
    else this.#running.delete(key);
  }

  async #wait(key: string, job: JobHelpers['job']): Promise<void> {
    const again = await putOff(this.#db, job, PUT_OFF_MS);
    if (again === null) return;
    const waiting = this.#waiting.get(key) ?? [];
    waiting.push(again);
    this.#waiting.set(key, waiting);
    // One that ran may have ended before this one waited.
    if (this.#runningOf(key) < this.#most) await this.#callNext(key);
  }

  /** Calls up the job that was put off first. Those that are gone or came by themselves are left out. */
  async #callNext(key: string): Promise<void> {
    for (let id = this.#take(key); id !== undefined; id = this.#take(key)) {
      if ((await callUp.run(this.#db, [id, PUT_OFF_MS / 1000])) === 1) return;
    }
  }

  /** Takes out the job that was put off first. */
  #take(key: string): string | undefined {
    const waiting = this.#waiting.get(key);
    const first = waiting?.shift();
    if (waiting?.length === 0) this.#waiting.delete(key);
    return first;
  }
}
