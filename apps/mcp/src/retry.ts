import { setTimeout as delay } from 'node:timers/promises';
import type { Reply } from './api.ts';

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
const JITTER = 0.2;

/** No attempt starts later than this after the first one, because clients give up on a tool after a minute. */
const LATEST_RETRY_MS = 40_000;

/** Clock and randomness, which tests replace. */
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
 * Milliseconds before the next attempt (spec §7.3): `Retry-After` if it is given, otherwise 1 s, doubling, plus a
 * random part of up to a fifth, at most 30 s.
 *
 * @param failures how many attempts have failed, at least 1
 * @param random from 0 to 1
 */
export function waitMs(failures: number, retryAfterSeconds: number | undefined, random: number): number {
  if (retryAfterSeconds !== undefined) return retryAfterSeconds * 1_000;
  return Math.min(FIRST_WAIT_MS * 2 ** (failures - 1) * (1 + JITTER * random), LONGEST_WAIT_MS);
}

/**
 * Retries a call while its error is `retryable`, within a time limit. Only for reads, and for writes with an
 * idempotency key. A call whose effect in Discord is unknown (`outcome` is `unknown`) is not retried: the assistant
 * looks it up with its `action_id`.
 *
 * @returns the first answer that is not retryable, or the last one within the limit
 * @throws when `signal` aborts
 */
export async function withRetries(
  send: () => Promise<Reply>,
  clock: Clock,
  signal: AbortSignal,
): Promise<Reply> {
  const lastStart = clock.now() + LATEST_RETRY_MS;
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
