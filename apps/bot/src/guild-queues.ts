import type { Logger } from './log.ts';

/** Most work of one guild that waits. What is more is left out. */
const MOST_WAITING = 200;

interface Queue {
  waiting: number;
  last: Promise<void>;
}

/** Runs work about guilds, that of one guild one after the other. */
export class GuildQueues {
  readonly #log: Logger;
  readonly #failed: string;
  readonly #closed = new AbortController();
  readonly #queues = new Map<string, Queue>();

  /** @param failed what the log says of work that failed */
  constructor(log: Logger, failed: string) {
    this.#log = log;
    this.#failed = failed;
  }

  /** @param work its signal fires when the queues are closed */
  add(guildId: string, work: (closed: AbortSignal) => Promise<void>): void {
    const { signal } = this.#closed;
    const queue = this.#queues.get(guildId) ?? { waiting: 0, last: Promise.resolve() };
    if (queue.waiting >= MOST_WAITING || signal.aborted) return;
    this.#queues.set(guildId, queue);
    queue.waiting += 1;
    queue.last = queue.last
      .then(() => (signal.aborted ? undefined : work(signal)))
      .catch((error: unknown) => {
        if (!signal.aborted) this.#log.warn({ err: error, guild_id: guildId }, this.#failed);
      })
      .finally(() => {
        queue.waiting -= 1;
        if (queue.waiting === 0) this.#queues.delete(guildId);
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
