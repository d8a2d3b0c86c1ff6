import { DatabaseTooSlow } from './database-errors.ts';

/** Most calls in one batch. */
const MOST_TOGETHER = 200;
/** Most calls that wait. Behind this many, nobody is answered in time, and late work helps nobody. */
const MOST_WAITING = 1_000;
/** The same for events, which nobody waits for: a raid or a resume brings thousands at once. */
export const MOST_EVENTS_WAITING = 50_000;

interface Batching<Item> {
  /** Most calls in one batch. */
  readonly together?: number;
  /** Most calls that wait. Default: as many as are answered in time. */
  readonly waiting?: number;
  /** What takes turns. If more calls wait than a batch takes, each of these has as many in it as the others. */
  readonly turnOf?: (item: Item) => string;
  /** A batch runs beside another only if calls of so many that take turns are waiting. Default 1. */
  readonly beside?: number;
  /** Whether nobody waits for a call any longer: it is refused with DatabaseTooSlow and does nothing. Default: never. */
  readonly isOver?: (item: Item) => boolean;
  /** What a batch waits for, so that calls that come at the same moment join it. Default: calls of the same turn. */
  readonly gather?: () => Promise<void>;
}

const endOfTurn = async () => {};

/** Until everything that has arrived at this process by now is read: calls over many connections join a batch. */
export const endOfPoll = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * Turns a function of many items into a function of one. While a batch is running, new calls collect and form the next
 * batch: a single call does not wait, and many concurrent calls share one round trip. Nothing is cached between
 * batches, so an answer is never older than its call.
 *
 * A call is refused at once with DatabaseTooSlow if too many calls are waiting. Half of the places are as many as one
 * of those that take turns can have.
 *
 * @param run answers a batch in the batch's order. If it fails, each call of the batch fails with its error.
 * @param atOnce how many batches may run at the same time
 */
export function coalesce<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
  atOnce = 1,
  {
    together = MOST_TOGETHER,
    waiting: most = MOST_WAITING,
    turnOf,
    beside = 1,
    isOver = () => false,
    gather = endOfTurn,
  }: Batching<Item> = {},
): (item: Item) => Promise<Result> {
  interface Call {
    readonly item: Item;
    readonly resolve: (result: Result) => void;
    readonly reject: (error: unknown) => void;
  }
  const waiting = new Turns<Call>(most, turnOf === undefined ? undefined : ({ item }) => turnOf(item));
  let running = 0;
  /** Whether so many wait that one more batch is worth it, with so many others running. */
  const isDue = (others: number) => waiting.owners >= (others === 0 ? 1 : beside);

  const runAll = async () => {
    running += 1;
    for (await gather(); isDue(running - 1); await gather()) {
      const batch: Call[] = [];
      for (const call of waiting.take(together)) {
        if (isOver(call.item)) call.reject(new DatabaseTooSlow());
        else batch.push(call);
      }
      if (batch.length === 0) continue;
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
      if (!waiting.add({ item, resolve, reject })) {
        reject(new DatabaseTooSlow());
        return;
      }
      if (running < atOnce && isDue(running)) void runAll();
    });
}

/** What waits, in the order in which it is taken. */
class Turns<Call> {
  readonly #most: number;
  readonly #turnOf: ((call: Call) => string) | undefined;
  /** In the order of their next turns. */
  readonly #waiting = new Map<string, Call[]>();
  count = 0;

  constructor(most: number, turnOf: ((call: Call) => string) | undefined) {
    this.#most = most;
    this.#turnOf = turnOf;
  }

  /** How many of those that take turns wait. */
  get owners(): number {
    return this.#waiting.size;
  }

  /** False if too many wait already. */
  add(call: Call): boolean {
    const turn = this.#turnOf?.(call) ?? '';
    const calls = this.#waiting.get(turn) ?? [];
    const most = this.#turnOf === undefined ? this.#most : this.#most / 2;
    if (this.count >= this.#most || calls.length >= most) return false;
    calls.push(call);
    this.#waiting.set(turn, calls);
    this.count += 1;
    return true;
  }

  /** Takes out the next calls: all of them, or so many that everybody has had as many turns. */
  take(most: number): Call[] {
    const taken: Call[] = [];
    while (taken.length < most && this.#waiting.size > 0) {
      const share = Math.max(1, Math.floor((most - taken.length) / this.#waiting.size));
      for (const [turn, calls] of [...this.#waiting].slice(0, most - taken.length)) {
        taken.push(...calls.splice(0, share));
        // Who has had a turn waits behind the others.
        this.#waiting.delete(turn);
        if (calls.length > 0) this.#waiting.set(turn, calls);
      }
    }
    this.count -= taken.length;
    return taken;
  }
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
