/** A job with a post, under the name that it keeps when it is put off. */
export interface PostJob {
  readonly key: string;
  /** Jobs that were added later have higher ids. */
  readonly id: bigint;
}

interface Standing extends PostJob {
  /** When its job comes again, by `performance.now()`. */
  readonly dueAt: number;
}

/** Discord takes five messages in five seconds in a channel. */
const APART_MS = 1_000;

/**
 * The lines of posts that Discord's limits keep back, one for each channel. Their jobs hold no place meanwhile: each is
 * put off until its turn will have come. A line is what one process knows. Where it knows none, the times of the jobs
 * give the order.
 */
export class PostLines {
  readonly #lines = new Map<string, readonly Standing[]>();

  /** Milliseconds for which to put a post off; 0 if no other post of the channel is before it. */
  waitMs(channel: string, job: PostJob): number {
    const line = this.#lines.get(channel);
    return line === undefined || line[0]?.key === job.key ? 0 : this.standIn(channel, job, 0);
  }

  /**
   * Gives a post its place in the line, in the order in which their jobs were added.
   *
   * @param limitMs how long the limit lasts
   * @returns milliseconds for which to put it off
   */
  standIn(channel: string, job: PostJob, limitMs: number): number {
    const line = this.#lines.get(channel) ?? [];
    // Who was put off has a new job, and its place from before.
    const { key, id } = line.find((other) => other.key === job.key) ?? job;
    const others = line.filter((other) => other.key !== key);
    const before = others.filter((other) => other.id < id);
    const now = performance.now();
    const firstMs = before[0] === undefined ? 0 : before[0].dueAt - now;
    const waitMs = Math.max(limitMs, firstMs, 0) + before.length * APART_MS;
    const behind = others.slice(before.length);
    this.#lines.set(channel, [...before, { key, id, dueAt: now + waitMs }, ...behind]);
    return waitMs;
  }

  /** Takes a post out, which has ended or is no job of the queue any more. */
  leave(key: string): void {
    for (const [channel, line] of this.#lines) {
      const others = line.filter((other) => other.key !== key);
      if (others.length > 0) this.#lines.set(channel, others);
      else this.#lines.delete(channel);
    }
  }

  /** Posts whose time is over, in the lines where this one stands. Another process may have taken them. */
  overdueBeside(key: string): string[] {
    const now = performance.now();
    return [...this.#lines.values()]
      .filter((line) => line.some((each) => each.key === key))
      .flatMap((line) =>
        line.filter((each) => each.key !== key && each.dueAt <= now).map((each) => each.key),
      );
  }
}
