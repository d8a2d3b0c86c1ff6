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
 * The places of guilds in a lane: two jobs of one guild run at once in a process, so that the thousand bans of one that
 * end together leave places for other guilds. A job beyond is put off, and called up when one of its guild has ended.
 */
export class GuildPlaces {
  readonly #db: Queryable;
  readonly #running = new Map<string, number>();
  /** The ids of the jobs that were put off, by guild. */
  readonly #waiting = new Map<string, string[]>();

  constructor(db: Queryable) {
    this.#db = db;
  }

  /**
   * The task, whose jobs run when their guild has a place.
   *
   * @param guildOf the guild that a job is about; null if what it is about is gone
   */
  sharing(
    guildOf: (payload: unknown) => Promise<string | null>,
    task: (payload: unknown) => Promise<void>,
  ): (payload: unknown, helpers: Pick<JobHelpers, 'job'>) => Promise<void> {
    return async (payload, { job }) => {
      const guildId = await guildOf(payload);
      if (guildId === null) return task(payload);
      if (this.#runningOf(guildId) >= MOST_OF_GUILD) return this.#wait(guildId, job);
      this.#running.set(guildId, this.#runningOf(guildId) + 1);
      try {
        await task(payload);
      } finally {
        this.#leave(guildId);
        await this.#callNext(guildId);
      }
    };
  }

  #runningOf(guildId: string): number {
    return this.#running.get(guildId) ?? 0;
  }

  #leave(guildId: string): void {
    const left = this.#runningOf(guildId) - 1;
    if (left > 0) this.#running.set(guildId, left);
    else this.#running.delete(guildId);
  }

  async #wait(guildId: string, job: JobHelpers['job']): Promise<void> {
    const again = await putOff(this.#db, job, PUT_OFF_MS);
    if (again === null) return;
    const waiting = this.#waiting.get(guildId) ?? [];
    waiting.push(again);
    this.#waiting.set(guildId, waiting);
    // One that ran may have ended before this one waited.
    if (this.#runningOf(guildId) < MOST_OF_GUILD) await this.#callNext(guildId);
  }

  /** Calls up the job that was put off first. Those that are gone or came by themselves are left out. */
  async #callNext(guildId: string): Promise<void> {
    for (let id = this.#take(guildId); id !== undefined; id = this.#take(guildId)) {
      if ((await callUp.run(this.#db, [id, PUT_OFF_MS / 1000])) === 1) return;
    }
  }

  /** Takes out the job that was put off first. */
  #take(guildId: string): string | undefined {
    const waiting = this.#waiting.get(guildId);
    const first = waiting?.shift();
    if (waiting?.length === 0) this.#waiting.delete(guildId);
    return first;
  }
}
