const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** A service that ran this long counts as healthy, so its next restart is quick again. */
const HEALTHY_AFTER_MS = 60_000;

/** Computes the wait before a restart: 1 s, doubling up to 60 s while the service keeps failing. */
export class RestartPause {
  #nextMs = FIRST_PAUSE_MS;

  /** @param ranMs how long the last run lasted */
  after(ranMs: number): number {
    if (ranMs >= HEALTHY_AFTER_MS) this.#nextMs = FIRST_PAUSE_MS;
    const pauseMs = this.#nextMs;
    this.#nextMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    return pauseMs;
  }
}
