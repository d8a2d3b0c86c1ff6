import type { AttemptResult } from './attempt.ts';
import type { Environment } from './environment.ts';
import { BailiffError } from './error.ts';

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
const JITTER = 0.2;
/** Bailiff refuses a call for these after it has looked its key up: no earlier attempt was carried out. */
const AFTER_KEY: ReadonlySet<string> = new Set(['RE_AUTH_REQUIRED', 'INVALID_CONFIRMATION']);

/**
 * Milliseconds before the next attempt (spec §7.3): `Retry-After` if it is given and more than 0, with which a proxy
 * would be asked without a pause; otherwise 1 s, doubling, plus a random part of up to a fifth, at most 30 s.
 *
 * @param failures how many attempts have failed, at least 1
 * @param random from 0 to 1
 */
export function waitMs(failures: number, retryAfterSeconds: number | undefined, random: number): number {
  if (retryAfterSeconds !== undefined && retryAfterSeconds > 0) return retryAfterSeconds * 1_000;
  return Math.min(FIRST_WAIT_MS * 2 ** (failures - 1) * (1 + JITTER * random), LONGEST_WAIT_MS);
}

export interface Bounds {
  readonly maxAttempts: number;
  /** For one attempt. */
  readonly attemptTimeoutMs: number;
  /** For all attempts and the waits between them. No retry starts unless it has its whole time before the deadline. */
  readonly deadlineMs: number;
}

/**
 * Retries within the bounds while the error is temporary, and returns the first success.
 *
 * @param send one attempt, with the milliseconds it may take
 * @throws BailiffError with the last failure
 * @throws the reason of `signal` when it aborts
 */
export async function withRetries(
  send: (timeoutMs: number) => Promise<AttemptResult>,
  bounds: Bounds,
  environment: Environment,
  signal: AbortSignal,
): Promise<AttemptResult & { readonly ok: true }> {
  const deadline = environment.now() + bounds.deadlineMs;
  let mayHaveHappened = false;
  for (let attempts = 1; ; attempts += 1) {
    const result = await send(Math.min(bounds.attemptTimeoutMs, bounds.deadlineMs));
    if (result.ok) return result;
    const { failure } = result;
    const isAboutAll = failure.isReplay === true || AFTER_KEY.has(failure.code);
    mayHaveHappened = failure.mayHaveHappened || (mayHaveHappened && !isAboutAll);
    const ms = waitMs(attempts, failure.retryAfterSeconds, environment.random());
    const endsAt = environment.now() + ms + bounds.attemptTimeoutMs;
    const isLast = attempts >= bounds.maxAttempts || endsAt > deadline;
    if (!failure.retryable || isLast) throw new BailiffError({ ...failure, mayHaveHappened });
    await environment.sleep(ms, signal);
  }
}
