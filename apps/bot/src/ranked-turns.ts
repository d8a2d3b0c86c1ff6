import { setTimeout as delay } from 'node:timers/promises';

interface Waiting {
  /** Asked whenever a turn is free: the lowest comes first. */
  readonly rank: () => number;
  readonly begin: () => void;
}

export interface RankedTurnsOptions {
  /** Works that run at the same time. */
  readonly atOnce: number;
  /** Default: any number. */
  readonly perSecond?: number;
}

/**
 * For reads that nobody waits for, in all processes of the bot together. Discord allows a bot 50 requests a second. The
 * others are for people.
 */
export const BACKGROUND_READS: RankedTurnsOptions = { atOnce: 8, perSecond: 30 };

/**
 * Gives turns to the reads and writes of the mirror, such as those of thousands of guilds after a start: guilds that
 * somebody waits for come first. What waits is bounded by the number of guilds.
 */
export class RankedTurns {
  readonly #waiting: Waiting[] = [];
  readonly #atOnce: number;
  readonly #perSecond: number;
  #spacingMs: number;
  #running = 0;
  #isPausing = false;

  constructor({ atOnce, perSecond = Number.POSITIVE_INFINITY }: RankedTurnsOptions) {
    this.#atOnce = atOnce;
    this.#perSecond = perSecond;
    this.#spacingMs = 1000 / perSecond;
  }

  get isBusy(): boolean {
    return this.#running > 0 || this.#waiting.length > 0;
  }

  /** Leaves their part of the turns in each second to so many others: what Discord allows is the bot's. */
  shareWith(others: number): void {
    this.#spacingMs = (1000 * (1 + others)) / this.#perSecond;
  }

  /** Runs `work` when it is its turn: the lowest `rank` is next. */
  async run<T>(rank: () => number, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((begin) => {
      this.#waiting.push({ rank, begin });
      this.#next();
    });
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#next();
    }
  }

  #next(): void {
    if (this.#isPausing || this.#running >= this.#atOnce || this.#waiting.length === 0) return;
    const [next] = this.#waiting.splice(this.#lowest(), 1);
    this.#running += 1;
    next?.begin();
    if (this.#spacingMs === 0) return;
    this.#isPausing = true;
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
