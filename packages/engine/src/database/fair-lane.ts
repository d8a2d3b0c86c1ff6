export interface LaneBounds {
  /** How many run at once. */
  readonly slots: number;
  /** How many of those may be one owner's. */
  readonly ofOwner: number;
  /** How many more of an owner may wait. */
  readonly waitingOfOwner: number;
}

interface Owned {
  /** Who takes turns with others: a guild, or the holder of a token. */
  readonly owner: string;
}

/** Owners take turns: of those that wait, the one whose turn was longest ago begins its oldest item. */
export class FairLane<Item extends Owned> {
  /** By owner, in the order of their next turns. Owners without waiting items are not in it. */
  readonly #waiting = new Map<string, Item[]>();
  readonly #running = new Map<string, number>();
  #free: number;
  readonly #bounds: LaneBounds;

  constructor(bounds: LaneBounds) {
    this.#bounds = bounds;
    this.#free = bounds.slots;
  }

  /** False if too many of the owner wait already. */
  add(item: Item): boolean {
    const others = this.#waiting.get(item.owner) ?? [];
    if (others.length >= this.#bounds.waitingOfOwner) return false;
    this.#waiting.set(item.owner, [...others, item]);
    return true;
  }

  /** Takes out the item that may begin now. Null if none may. */
  next(mayBegin: (item: Item) => boolean = () => true): Item | null {
    if (this.#free === 0) return null;
    for (const [owner, waiting] of this.#waiting) {
      if ((this.#running.get(owner) ?? 0) >= this.#bounds.ofOwner) continue;
      const chosen = waiting.find(mayBegin);
      if (chosen === undefined) continue;
      const others = waiting.filter((each) => each !== chosen);
      this.#waiting.delete(owner);
      if (others.length > 0) this.#waiting.set(owner, others);
      this.#running.set(owner, (this.#running.get(owner) ?? 0) + 1);
      this.#free -= 1;
      return chosen;
    }
    return null;
  }

  /** An item of the owner that `next` returned has ended. */
  end(owner: string): void {
    this.pause();
    this.resume(owner);
  }

  /** An item has ended, and another may begin, but none of the same owner before `resume`. */
  pause(): void {
    this.#free += 1;
  }

  resume(owner: string): void {
    const running = (this.#running.get(owner) ?? 0) - 1;
    if (running > 0) this.#running.set(owner, running);
    else this.#running.delete(owner);
  }
}
