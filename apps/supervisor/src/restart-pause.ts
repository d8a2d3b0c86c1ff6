const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** What ran this long counts as healthy: its next restart is quick again. */
const HEALTHY_AFTER_MS = 60_000;

/** How long to wait before a restart: 1 s, doubling to 60 s while the restarts do not help. */
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
