import type { Logger } from './log.ts';
import { retryUntilAborted } from './retry.ts';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

/** Repeats a write of the mirror until it succeeds or `signal` fires. */
export function retryMirrorWrite(
  write: () => Promise<void>,
  { signal, log }: { readonly signal: AbortSignal; readonly log: Logger },
): Promise<void> {
  return retryUntilAborted(write, {
    signal,
    firstPauseMs: FIRST_PAUSE_MS,
    longestPauseMs: LONGEST_PAUSE_MS,
    onFailure: (error, pauseMs) =>
      log.error({ err: error, pause_ms: pauseMs }, 'mirror could not write; trying again'),
  });
}
