import { setTimeout as delay } from 'node:timers/promises';

interface Waiting {
  /** Asked whenever a turn is free: the lowest comes first. */
  readonly rank: () => number;
  readonly begin: () => void;
}

export interface BackgroundReadsOptions {
  /** Reads that run at the same time. */
  readonly atOnce: number;
  readonly perSecond: number;
}

/** Discord allows a bot 50 requests a second. The others are for what people wait for. */
const DEFAULTS: BackgroundReadsOptions = { atOnce: 8, perSecond: 30 };

/**
 * Gives turns to reads that nobody waits for, such as the member lists of thousands of guilds after a start. At most
 * one read of each guild waits at a time, so the queue is no longer than the list of guilds.
 */
export class BackgroundReads {
  readonly #waiting: Waiting[] = [];
  readonly #atOnce: number;
  readonly #spacingMs: number;
  #running = 0;
  #isPausing = false;

  constructor({ atOnce, perSecond }: BackgroundReadsOptions = DEFAULTS) {
    this.#atOnce = atOnce;
    this.#spacingMs = 1000 / perSecond;
  }

  /** Runs `read` when it is its turn. Of several that wait, the one with the lowest `rank` is next. */
  async run<T>(rank: () => number, read: () => Promise<T>): Promise<T> {
    await new Promise<void>((begin) => {
      this.#waiting.push({ rank, begin });
      this.#next();
    });
    try {
      return await read();
    } finally {
      this.#running -= 1;
      this.#next();
    }
  }

  #next(): void {
    if (this.#isPausing || this.#running >= this.#atOnce || this.#waiting.length === 0) return;
    const [next] = this.#waiting.splice(this.#lowest(), 1);
    this.#running += 1;
    this.#isPausing = true;
    next?.begin();
    void delay(this.#spacingMs, undefined, { ref: false }).then(() => {
      this.#isPausing = false;
      this.#next();
    });
  }

  #lowest(): number {
    let lowest = 0;
    let rank = Number.POSITIVE_INFINITY;
    for (const [index, waiting] of this.#waiting.entries()) {
      const its = waiting.rank();
      if (its >= rank) continue;
      lowest = index;
      rank = its;
    }
    return lowest;
  }
}
