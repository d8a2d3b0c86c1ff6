import { DiscordFailure } from './discord-api.ts';
import { meaningOf } from './discord-errors.ts';
import type { Logger } from './log.ts';
import { retryWithBackoff } from './retry.ts';

/** Most work of one guild that waits. What is more is left out. */
const MOST_WAITING = 200;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;
/** After this, work that still fails is left out, so that the guild's other work has its turn. */
const LONGEST_MS = 5 * 60_000;

interface Queue {
  waiting: number;
  leftOut: number;
  last: Promise<void>;
}

/** Runs work about guilds, that of one guild one after the other. */
export class GuildQueues {
  readonly #log: Logger;
  readonly #failed: string;
  readonly #isMissed: (guildId: string, closed: AbortSignal) => Promise<boolean>;
  readonly #closed = new AbortController();
  readonly #queues = new Map<string, Queue>();

  /**
   * @param failed what the log says of work that failed, or was left out
   * @param isMissed whether what a guild's queue left out was worth doing
   */
  constructor(
    log: Logger,
    failed: string,
    isMissed: (guildId: string, closed: AbortSignal) => Promise<boolean>,
  ) {
    this.#log = log;
    this.#failed = failed;
    this.#isMissed = isMissed;
  }

  /** @param work may be called again after it has failed. Its signal fires when the queues are closed */
  add(guildId: string, work: (closed: AbortSignal) => Promise<void>): void {
    const { signal } = this.#closed;
    const queue = this.#queues.get(guildId) ?? { waiting: 0, leftOut: 0, last: Promise.resolve() };
    if (signal.aborted) return;
    if (queue.waiting >= MOST_WAITING) {
      queue.leftOut += 1;
      return;
    }
    this.#queues.set(guildId, queue);
    queue.waiting += 1;
    queue.last = queue.last
      .then(() => this.untilDone(() => work(signal)))
      .catch((error: unknown) => {
        if (signal.aborted) queue.leftOut += 1;
        else this.#log.warn({ err: error, guild_id: guildId }, this.#failed);
      })
      .finally(async () => {
        queue.waiting -= 1;
        if (queue.waiting > 0) return;
        const { leftOut } = queue;
        queue.leftOut = 0;
        if (leftOut > 0 && (await this.#isMissed(guildId, signal).catch(() => true)))
          this.#log.warn({ guild_id: guildId, left_out: leftOut }, this.#failed);
        // More may have come meanwhile.
        if (queue.waiting === 0) this.#queues.delete(guildId);
      });
  }

  /**
   * The result of work that is tried again while the database or Discord is away.
   *
   * @throws what it failed with for good, or an abort error when the queues are closed or it takes too long
   */
  untilDone<T>(work: () => Promise<T>): Promise<T> {
    return retryWithBackoff(work, {
      signal: AbortSignal.any([this.#closed.signal, AbortSignal.timeout(LONGEST_MS)]),
      firstPauseMs: FIRST_PAUSE_MS,
      longestPauseMs: LONGEST_PAUSE_MS,
      onFailure: (error, pauseMs) => {
        const isForGood = error instanceof DiscordFailure && meaningOf(error) !== 'temporary';
        if (isForGood || this.#closed.signal.aborted) throw error;
        this.#log.info({ err: error, pause_ms: pauseMs }, `${this.#failed}; trying again`);
      },
    });
  }

  /** Resolves once all work so far is done. */
  async idle(): Promise<void> {
    await Promise.all([...this.#queues.values()].map(({ last }) => last));
  }

  /** Begins no more work, and waits for what runs. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.idle();
  }
}
