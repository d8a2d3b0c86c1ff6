import { DatabaseTooSlow } from './database-errors.ts';

/** Most calls that go together. */
const MOST_TOGETHER = 200;
/** Most calls that wait. Behind so many nobody is answered in time, and what is done late is done for nobody. */
const MOST_WAITING = 1_000;

/**
 * A function of one item out of one of many. While a batch is on its way, calls collect and go together in the next: a
 * call that comes alone waits for nobody, and many at once cost one round trip. Nothing is remembered between batches,
 * so an answer is never older than its call.
 *
 * A call that finds too many waiting is refused at once with DatabaseTooSlow.
 *
 * @param run answers a batch, in the batch's order; when it fails, each of the batch's calls fails with its error
 * @param atOnce batches that may be on their way
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
    // Whatever else is asked in this turn of the event loop goes along.
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

/** One of something for each owner, made when it is first asked for, and gone with its owner. */
export function perOwner<Owner extends WeakKey, T>(make: (owner: Owner) => T): (owner: Owner) => T {
  const made = new WeakMap<Owner, T>();
  return (owner) => {
    const found = made.get(owner) ?? make(owner);
    made.set(owner, found);
    return found;
  };
}
