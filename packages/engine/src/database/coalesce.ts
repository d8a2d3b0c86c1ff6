import { DatabaseTooSlow } from './database-errors.ts';

/** Most calls in one batch. */
const MOST_TOGETHER = 200;
/** Most calls that wait. Behind this many, nobody is answered in time, and late work helps nobody. */
const MOST_WAITING = 1_000;

/**
 * Turns a function of many items into a function of one. While a batch is running, new calls collect and form the next
 * batch: a single call does not wait, and many concurrent calls share one round trip. Nothing is cached between
 * batches, so an answer is never older than its call.
 *
 * A call is refused at once with DatabaseTooSlow if too many calls are waiting.
 *
 * @param run answers a batch in the batch's order. If it fails, each call of the batch fails with its error.
 * @param atOnce how many batches may run at the same time
 */
export function coalesce<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  atOnce = 1,
): (item: Item) => Promise<Result> {
  interface Call {
    readonly item: Item;
    readonly resolve: (result: Result) => void;
    readonly reject: (error: unknown) => void;
  }
  let waiting: Call[] = [];
  let running = 0;

  const runAll = async () => {
    running += 1;
    // Calls made in the same turn of the event loop join this batch.
    await null;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MOST_TOGETHER);
      waiting = waiting.slice(MOST_TOGETHER);
      try {
        const results = await run(batch.map(({ item }) => item));
        for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    running -= 1;
  };
  return (item) =>
    new Promise((resolve, reject) => {
      if (waiting.length >= MOST_WAITING) {
        reject(new DatabaseTooSlow());
        return;
      }
      waiting.push({ item, resolve, reject });
      if (running < atOnce) void runAll();
    });
}

/** One value for each owner, made on first use and released with its owner. */
export function perOwner<Owner extends WeakKey, T>(make: (owner: Owner) => T): (owner: Owner) => T {
  const made = new WeakMap<Owner, T>();
  return (owner) => {
    const found = made.get(owner) ?? make(owner);
    made.set(owner, found);
    return found;
  };
}
