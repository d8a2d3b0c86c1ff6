/** Beyond this number, owners who may take all of it at once again are forgotten. */
const MOST_OWNERS = 1_000;

/** How much of the time that passes each owner has taken. An owner may take some at once, and a share from then on. */
export class TimeShares {
  readonly #taken = new Map<string, { readonly ms: number; readonly atMs: number }>();
  readonly #atOnceMs: number;
  readonly #share: number;

  constructor({ atOnceMs, share }: { readonly atOnceMs: number; readonly share: number }) {
    this.#atOnceMs = atOnceMs;
    this.#share = share;
  }

  /** Counts what an owner has just taken. Returns the milliseconds until they may take more. */
  spend(owner: string, tookMs: number, nowMs = performance.now()): number {
    const ms = this.#left(owner, nowMs) + tookMs;
    this.#taken.set(owner, { ms, atMs: nowMs });
    if (this.#taken.size > MOST_OWNERS) this.#forget(nowMs);
    return Math.max(0, ms - this.#atOnceMs) / this.#share;
  }

  /** How many owners are remembered. */
  get owners(): number {
    return this.#taken.size;
  }

  /** What of it still counts. */
  #left(owner: string, nowMs: number): number {
    const taken = this.#taken.get(owner);
    return taken === undefined ? 0 : Math.max(0, taken.ms - (nowMs - taken.atMs) * this.#share);
  }

  #forget(nowMs: number): void {
    for (const owner of this.#taken.keys()) if (this.#left(owner, nowMs) === 0) this.#taken.delete(owner);
  }
}
