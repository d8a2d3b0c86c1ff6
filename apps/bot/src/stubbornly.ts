import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from './log.ts';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

/** Does what must be done, again and again until it is or `signal` fires, with pauses that double. */
export async function stubbornly(
  work: () => Promise<void>,
  { signal, log }: { readonly signal: AbortSignal; readonly log: Logger },
): Promise<void> {
  for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      await work();
      return;
    } catch (error) {
      log.error({ err: error, pause_ms: pauseMs }, 'mirror could not write; trying again');
      await delay(pauseMs, undefined, { signal }).catch(() => {});
    }
  }
}
