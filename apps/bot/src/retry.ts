import { setTimeout as delay } from 'node:timers/promises';

export interface RetryOptions {
  /** Ends the attempts. */
  readonly signal: AbortSignal;
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  /** Receives each error, and the pause that follows it. What it throws ends the attempts. */
  readonly onFailure: (error: unknown, pauseMs: number) => void;
  /** How to wait; default: real time. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

const waitInRealTime = (ms: number, signal: AbortSignal): Promise<void> => delay(ms, undefined, { signal });

/**
 * The result of the first attempt that succeeds. Each pause between two attempts is twice as long as the one before.
 *
 * @throws what `onFailure` throws, and an abort error when `signal` fires
 */
export async function retryWithBackoff<T>(
  attempt: () => Promise<T>,
  { signal, firstPauseMs, longestPauseMs, onFailure, wait = waitInRealTime }: RetryOptions,
): Promise<T> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    signal.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      onFailure(error, pauseMs);
    }
    await wait(pauseMs, signal);
  }
}

/** As {@link retryWithBackoff}, but undefined instead of an error when `signal` fires. */
export async function retryUntilAborted<T>(
  attempt: () => Promise<T>,
  options: RetryOptions,
): Promise<T | undefined> {
  try {
    return await retryWithBackoff(attempt, options);
  } catch (error) {
    if (options.signal.aborted) return undefined;
    throw error;
  }
}
