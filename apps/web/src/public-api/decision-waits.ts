import type { Waiters } from '@bailiff/engine/database/waiters';

/** How many callers may wait for a decision at the same time. */
export interface WaitBounds {
  readonly ofToken: number;
  readonly inAll: number;
}

const BOUNDS: WaitBounds = { ofToken: 4, inAll: 500 };

/** One caller's wait. */
export interface Waiting {
  readonly tokenId: string;
  readonly seconds: number;
  /** Ends the wait: the caller has left, or the process stops. */
  readonly signals: readonly AbortSignal[];
}

/** Callers of this process that wait for what the owner decides about their token. They hold no database connection. */
export class DecisionWaits {
  readonly #waiters: Waiters;
  readonly #bounds: WaitBounds;
  readonly #ofToken = new Map<string, number>();
  #inAll = 0;

  constructor(waiters: Waiters, bounds: WaitBounds = BOUNDS) {
    this.#waiters = waiters;
    this.#bounds = bounds;
  }

  /**
   * What `look` finds once it is no longer pending, or when the time is over. Looks at once, because something may have
   * been decided since the caller looked, and then after each notification about the token.
   *
   * @returns null without looking if too many wait
   */
  async until<T>(
    { tokenId, seconds, signals }: Waiting,
    look: () => Promise<T>,
    isPending: (found: T) => boolean,
  ): Promise<T | null> {
    const others = this.#ofToken.get(tokenId) ?? 0;
    if (others >= this.#bounds.ofToken || this.#inAll >= this.#bounds.inAll) return null;
    this.#ofToken.set(tokenId, others + 1);
    this.#inAll += 1;
    const waiter = this.#waiters.expect(tokenId);
    const wake = () => waiter.wake();
    for (const signal of signals) signal.addEventListener('abort', wake);
    const endsAt = performance.now() + seconds * 1_000;
    try {
      for (;;) {
        const found = await look();
        const leftMs = endsAt - performance.now();
        if (!isPending(found) || leftMs <= 0 || signals.some(({ aborted }) => aborted)) return found;
        await waiter.within(leftMs);
      }
    } finally {
      for (const signal of signals) signal.removeEventListener('abort', wake);
      waiter.release();
      this.#inAll -= 1;
      const left = (this.#ofToken.get(tokenId) ?? 1) - 1;
      if (left === 0) this.#ofToken.delete(tokenId);
      else this.#ofToken.set(tokenId, left);
    }
  }
}
