const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** A service that was ready is missed while it is away, and its next start is likely to succeed. */
const LONGEST_PAUSE_OF_READY_MS = 2_000;
/** A service that was ready and ran this long is started again nearly at once: it is no loop of starts. */
const SERVED_AFTER_MS = 6_000;
const PAUSE_AFTER_SERVING_MS = 100;
/** A service that ran this long counts as healthy, so its next restart is quick again. */
const HEALTHY_AFTER_MS = 60_000;

/** Computes the wait before a restart: 1 s, doubling up to 60 s while the service does not get ready. */
export class RestartPause {
  #nextMs = FIRST_PAUSE_MS;

  /** @param run the last run: how long it lasted, and whether the service got ready in it */
  after({ ranMs, wasReady }: { ranMs: number; wasReady: boolean }): number {
    if (ranMs >= HEALTHY_AFTER_MS) this.#nextMs = FIRST_PAUSE_MS;
    if (wasReady && ranMs >= SERVED_AFTER_MS) {
      this.#nextMs = FIRST_PAUSE_MS;
      return PAUSE_AFTER_SERVING_MS;
    }
    const pauseMs = wasReady ? Math.min(this.#nextMs, LONGEST_PAUSE_OF_READY_MS) : this.#nextMs;
    this.#nextMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    return pauseMs;
  }
}
