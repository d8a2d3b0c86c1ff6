import { setTimeout as delay } from 'node:timers/promises';
import type { Reply } from './api.ts';

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
const JITTER = 0.2;

/** No attempt begins later than this after the first: clients give up on a tool after a minute. */
const PATIENCE_MS = 40_000;

/** Time and chance, from outside. */
export interface Clock {
  now(): number;
  random(): number;
  /** @throws when `signal` aborts */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export const SYSTEM_CLOCK: Clock = {
  now: () => performance.now(),
  random: Math.random,
  wait: (ms, signal) => delay(ms, undefined, { signal }),
};

/**
 * Milliseconds before the next attempt (spec §7.3): what `Retry-After` says, else 1 s, doubling, and up to a fifth more
 * by chance, 30 s at most.
 *
 * @param failures how many attempts have failed, at least 1
 * @param random from 0 to 1
 */
export function waitMs(failures: number, retryAfterSeconds: number | undefined, random: number): number {
  if (retryAfterSeconds !== undefined) return retryAfterSeconds * 1_000;
  return Math.min(FIRST_WAIT_MS * 2 ** (failures - 1) * (1 + JITTER * random), LONGEST_WAIT_MS);
}

/**
 * Repeats a call while its answer says `retryable`, within a bound. Only for calls that may be repeated: reads, and writes
 * with an idempotency key. What may have happened at Discord is not asked for again (`outcome` is `unknown`): it is looked
 * up with its `action_id`.
 *
 * @returns the first answer that is not to be repeated, or the last one there was time for
 * @throws when `signal` aborts
 */
export async function withRetries(
  send: () => Promise<Reply>,
  clock: Clock,
  signal: AbortSignal,
): Promise<Reply> {
  const lastStart = clock.now() + PATIENCE_MS;
  for (let failures = 1; ; failures += 1) {
    const reply = await send();
    if (reply.ok || !reply.envelope.error.retryable || hasActionToLookUp(reply.envelope.error.details))
      return reply;
    const ms = waitMs(failures, reply.retryAfterSeconds, clock.random());
    if (clock.now() + ms > lastStart) return reply;
    await clock.wait(ms, signal);
  }
}

function hasActionToLookUp(details: object | undefined): boolean {
  return (
    details !== undefined && 'action_id' in details && 'outcome' in details && details.outcome === 'unknown'
  );
}
