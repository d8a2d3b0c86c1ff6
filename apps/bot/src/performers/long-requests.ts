import type { Run } from '@bailiff/engine/worker/long-actions';
import { DiscordFailure, type RequestOptions } from '#src/discord-api.ts';
import { waited } from '#src/rate-limits.ts';

/** A limit that asks for more than this ends a long action. */
const LONGEST_LIMIT_MS = 15 * 60_000;
const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 32_000;

/** How a request waits. */
export type Waits = Pick<RequestOptions, 'signal' | 'until' | 'longestWaitMs'>;

/** With less time than this before its caller is answered, nothing is begun that could be cut off. */
const LEAST_MS = 800;

/** Whether this stretch of work is too short for another request. */
export function isOver(run: Run): boolean {
  return run.signal.aborted || (run.deadline !== null && run.leftMs() < LEAST_MS);
}

/**
 * How a request of a long action waits: while a caller waits for the answer, as long as that; later, as long as the
 * stretch lasts, and then a request under way is not cut off.
 */
export function waitsOf(run: Run): Waits {
  return run.deadline === null
    ? { signal: new AbortController().signal, until: run.signal, longestWaitMs: LONGEST_LIMIT_MS }
    : { signal: AbortSignal.any([run.deadline, run.signal]), longestWaitMs: run.leftMs() - LEAST_MS };
}

/** Whether a failed request only has to wait for Discord's limits. */
export function hasToWait(error: unknown): error is DiscordFailure & { readonly retryAfterMs: number } {
  return (
    error instanceof DiscordFailure &&
    error.retryAfterMs !== undefined &&
    error.retryAfterMs <= LONGEST_LIMIT_MS
  );
}

/** Waits for Discord's limits. False if too little of the stretch is left for another request after that. */
export async function waitedForLimit(run: Run, ms: number): Promise<boolean> {
  const isTooLong = run.deadline !== null && ms > run.leftMs() - LEAST_MS;
  return !isTooLong && (await waited(ms, run.signal));
}

/** Whether Discord failed in a way that may pass: there was no answer, or one of 5xx. */
export function mayPass(error: unknown): error is DiscordFailure {
  return error instanceof DiscordFailure && error.kind !== 'refused' && error.retryAfterMs === undefined;
}

/**
 * The result of a read, which is tried again while Discord fails and no caller waits for the answer. `unfinished` when
 * the stretch of work is over before; of a first read that a caller waits for, only a limit is a reason to go on later.
 *
 * @throws DiscordFailure
 */
export async function readPatiently<T>(
  run: Run,
  isFirst: boolean,
  read: (waits: Waits) => Promise<T>,
): Promise<T | 'unfinished'> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return await read(waitsOf(run));
    } catch (error) {
      if (hasToWait(error)) {
        if (run.deadline !== null || !(await waited(error.retryAfterMs, run.signal))) return 'unfinished';
        continue;
      }
      if (!mayPass(error)) throw error;
      if (run.deadline !== null) {
        if (run.signal.aborted && !isFirst) return 'unfinished';
        throw error;
      }
      if (!(await waited(pauseMs, run.signal))) return 'unfinished';
    }
  }
}
