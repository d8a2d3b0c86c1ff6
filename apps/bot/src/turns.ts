import { DiscordFailure } from './discord-api.ts';

interface Waiting {
  readonly begin: () => Promise<void>;
  readonly refuse: () => void;
}

/**
 * Work that waits for its turn. Work whose caller gave up is removed, so that it fills no queue and uses up no turn.
 * The work's result is its own: if its slot is given up as lost, the effect may still come, and nobody must be told
 * otherwise.
 */
export abstract class Turns {
  /** In order of arrival. */
  protected readonly waiting: Waiting[] = [];

  /** See {@link Pace}. `what` completes the sentence "Discord was not sent …". */
  take<T>(work: () => Promise<T>, signal: AbortSignal, what: string): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const waiting: Waiting = {
      begin: async () => {
        signal.removeEventListener('abort', waiting.refuse);
        const done = work();
        done.then(resolve, reject);
        await done.catch(() => {});
      },
      refuse: () => {
        signal.removeEventListener('abort', waiting.refuse);
        const place = this.waiting.indexOf(waiting);
        if (place >= 0) this.waiting.splice(place, 1);
        reject(new DiscordFailure('not_sent', `Discord was not sent ${what}`));
      },
    };
    if (signal.aborted) {
      waiting.refuse();
      return promise;
    }
    signal.addEventListener('abort', waiting.refuse);
    this.waiting.push(waiting);
    this.added();
    return promise;
  }

  /** Whether nothing runs or waits. */
  abstract areIdle(): boolean;
  /** Gives no more turns. */
  abstract close(): Promise<void>;
  /** Work was added to what waits. */
  protected abstract added(): void;
}

export interface PromptLimits {
  /** How much runs at once. */
  readonly maxConcurrent: number;
  /** How much can begin at once after a quiet time. */
  readonly reservoir: number;
  /** How much more can begin after each interval (ms), up to `reservoirIncreaseMaximum`. Null: nothing. */
  readonly reservoirIncreaseInterval: number;
  readonly reservoirIncreaseAmount: number | null;
  readonly reservoirIncreaseMaximum: number;
  /** How much may wait. More is refused. */
  readonly highWater: number;
}

/**
 * Turns that come without waiting: if there is room, the work begins before `take` returns. bottleneck with the same
 * limits waits for some milliseconds each time (decisions: Pacing).
 */
export class PromptTurns extends Turns {
  readonly #limits: PromptLimits;
  readonly #placeLostAfterMs: number;
  #running = 0;
  #left: number;
  #filledAt = performance.now();
  #refill: NodeJS.Timeout | undefined;

  /** @param placeLostAfterMs after which work that has not ended no longer counts as running */
  constructor(limits: PromptLimits, placeLostAfterMs: number) {
    super();
    this.#limits = limits;
    this.#left = limits.reservoir;
    this.#placeLostAfterMs = placeLostAfterMs;
  }

  areIdle(): boolean {
    return this.#running === 0 && this.waiting.length === 0;
  }

  async close(): Promise<void> {
    clearTimeout(this.#refill);
    this.#left = Number.NEGATIVE_INFINITY;
  }

  protected added(): void {
    this.#beginNext();
    if (this.waiting.length > this.#limits.highWater) this.waiting.at(-1)?.refuse();
  }

  #beginNext(): void {
    this.#fill();
    while (this.#running < this.#limits.maxConcurrent && this.#left > 0) {
      const next = this.waiting.shift();
      if (next === undefined) return;
      this.#left -= 1;
      this.#begin(next);
    }
    if (this.#left <= 0 && this.waiting.length > 0) this.#wakeAtRefill();
  }

  #begin({ begin }: Waiting): void {
    let hasPlace = true;
    const free = () => {
      if (!hasPlace) return;
      hasPlace = false;
      clearTimeout(lost);
      this.#running -= 1;
      this.#beginNext();
    };
    const lost = setTimeout(free, this.#placeLostAfterMs).unref();
    this.#running += 1;
    void begin().then(free);
  }

  /** Adds what the intervals since the last time bring. */
  #fill(): void {
    const { reservoirIncreaseInterval, reservoirIncreaseAmount, reservoirIncreaseMaximum } = this.#limits;
    const intervals = Math.floor((performance.now() - this.#filledAt) / reservoirIncreaseInterval);
    if (intervals === 0) return;
    this.#filledAt += intervals * reservoirIncreaseInterval;
    const filled = this.#left + intervals * (reservoirIncreaseAmount ?? 0);
    this.#left = Math.max(this.#left, Math.min(reservoirIncreaseMaximum, filled));
  }

  #wakeAtRefill(): void {
    if (this.#refill !== undefined || this.#limits.reservoirIncreaseAmount === null) return;
    const nextMs = this.#filledAt + this.#limits.reservoirIncreaseInterval - performance.now();
    this.#refill = setTimeout(() => {
      this.#refill = undefined;
      this.#beginNext();
    }, nextMs);
  }
}
