import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { BlockerWatch } from './blocker-watch.ts';

export interface WaitOptions {
  signal?: AbortSignal | undefined;
  /** Called with a line that says what an update waits for. */
  onWait?: ((line: string) => void) | undefined;
}

/** How the changes of one update wait for tables. */
export interface Waiting extends WaitOptions {
  /** How long they may still wait in all: they share it, because others wait for the lock no longer than that. */
  readonly left: { ms: number };
}

/**
 * How long a change waits for a lock. Whoever uses the table afterwards waits behind it, so it lets them through and
 * tries again: a backup of the whole database reads every table for minutes.
 */
export const LOCK_TIMEOUT_MS = 2_000;
const PAUSE_MS = 2_000;
/** How long an update waits for tables in all. */
export const TRY_FOR_MS = 10 * 60_000;
/** A lock that did not come in time, and a deadlock. */
const BUSY = new Set(['55P03', '40P01']);

/** A change that needs tables for itself. */
interface Change {
  /** For the line about waiting: "Migration 1_first". */
  readonly name: string;
  /** The process of the database that makes it. */
  readonly pid: number;
  /** How to connect to the database. */
  readonly settings: pg.PoolConfig;
}

/**
 * What `attempt` comes to, which is tried again while others use its tables. It must leave nothing behind when it fails,
 * and wait for a lock no longer than `LOCK_TIMEOUT_MS`.
 *
 * @throws what `attempt` throws: at once unless others are in its way, and once no time is left if they still are
 */
export async function whenFree<Result>(
  { name, pid, settings }: Change,
  { signal, onWait, left }: Waiting,
  attempt: () => Promise<Result>,
): Promise<Result> {
  const watch = new BlockerWatch(settings, pid);
  let told: string | undefined;
  try {
    for (;;) {
      const beganAt = performance.now();
      try {
        return await attempt();
      } catch (error) {
        if (!isBusy(error) || left.ms <= 0) throw error;
      }
      const blocker = watch.blocker ?? 'another process';
      const line = `${name} waits until ${blocker} no longer uses a table. Callers do not wait.`;
      if (line !== told) onWait?.(line);
      told = line;
      await delay(PAUSE_MS, undefined, { signal });
      left.ms -= performance.now() - beganAt;
    }
  } finally {
    await watch.end();
  }
}

/** Whether others were in the way of what failed with this error, or with one that it explains. */
export function isBusy(error: unknown): boolean {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return cause instanceof pg.DatabaseError && BUSY.has(cause.code ?? '');
}
