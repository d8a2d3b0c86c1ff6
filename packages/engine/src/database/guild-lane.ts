export interface LaneBounds {
  /** How many run at once. */
  readonly slots: number;
  /** How many of those may be one guild's. */
  readonly ofGuild: number;
  /** How many more of a guild may wait. */
  readonly waitingOfGuild: number;
}

interface OfGuild {
  readonly guildId: string;
}

/** Guilds take turns: of those that wait, the one whose turn was longest ago begins its oldest item. */
export class GuildLane<Item extends OfGuild> {
  /** In the order of their next turns. Guilds without waiting items are not in it. */
  readonly #waiting = new Map<string, Item[]>();
  readonly #running = new Map<string, number>();
  #free: number;
  readonly #bounds: LaneBounds;

  constructor(bounds: LaneBounds) {
    this.#bounds = bounds;
    this.#free = bounds.slots;
  }

  /** False if too many of the guild wait already. */
  add(item: Item): boolean {
    const others = this.#waiting.get(item.guildId) ?? [];
    if (others.length >= this.#bounds.waitingOfGuild) return false;
    this.#waiting.set(item.guildId, [...others, item]);
    return true;
  }

  /** Takes out the item that may begin now. Null if none may. */
  next(mayBegin: (item: Item) => boolean = () => true): Item | null {
    if (this.#free === 0) return null;
    for (const [guildId, waiting] of this.#waiting) {
      if ((this.#running.get(guildId) ?? 0) >= this.#bounds.ofGuild) continue;
      const chosen = waiting.find(mayBegin);
      if (chosen === undefined) continue;
      const others = waiting.filter((each) => each !== chosen);
      this.#waiting.delete(guildId);
      if (others.length > 0) this.#waiting.set(guildId, others);
      this.#running.set(guildId, (this.#running.get(guildId) ?? 0) + 1);
      this.#free -= 1;
      return chosen;
    }
    return null;
  }

  /** An item of the guild that `next` returned has ended. */
  end(guildId: string): void {
    const running = (this.#running.get(guildId) ?? 0) - 1;
    if (running > 0) this.#running.set(guildId, running);
    else this.#running.delete(guildId);
    this.#free += 1;
  }
}
