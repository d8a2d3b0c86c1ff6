/** Actions that take seconds (game servers, purges) have slots of their own, so that nobody's ban waits for them. */
export type Lane = 'quick' | 'slow';

/** What an action needs: a slot of its lane, a place of its guild, and its target to itself. */
export interface Turn {
  readonly guildId: string;
  readonly lane: Lane;
  /** What nothing else may be done to meanwhile. Null: nothing in particular. */
  readonly target: string | null;
}

export interface Bounds {
  /** How many actions run at once in each lane. */
  readonly slots: number;
  /** How many of those may be one guild's. */
  readonly ofGuild: number;
  /** How many more of a guild may wait for a lane. */
  readonly waitingOfGuild: number;
}

interface Waiting {
  readonly turn: Turn;
  readonly begin: () => void;
}

/** Guilds take turns: of those that wait, the one whose turn was longest ago begins its oldest action. */
class LaneOfGuilds {
  /** In the order of their next turns. Guilds without waiting actions are not in it. */
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #running = new Map<string, number>();
  #free: number;
  readonly #bounds: Bounds;

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
    this.#free = bounds.slots;
  }

  /** False if too many of the guild wait already. */
  add(waiting: Waiting): boolean {
    const { guildId } = waiting.turn;
    const others = this.#waiting.get(guildId) ?? [];
    if (others.length >= this.#bounds.waitingOfGuild) return false;
    this.#waiting.set(guildId, [...others, waiting]);
    return true;
  }

  /** Takes out the action that may begin now. Null if none may. */
  next(isFree: (target: string) => boolean): Waiting | null {
    if (this.#free === 0) return null;
    for (const [guildId, waiting] of this.#waiting) {
      if ((this.#running.get(guildId) ?? 0) >= this.#bounds.ofGuild) continue;
      const chosen = waiting.find(({ turn }) => turn.target === null || isFree(turn.target));
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

  end({ guildId }: Turn): void {
    const running = (this.#running.get(guildId) ?? 0) - 1;
    if (running > 0) this.#running.set(guildId, running);
    else this.#running.delete(guildId);
    this.#free += 1;
  }
}

/**
 * Decides which action begins next, so that no guild's actions keep another guild's waiting and nothing is done to one
 * target twice at once (decisions: Guilds apart).
 */
export class FairTurns {
  readonly #lanes: Readonly<Record<Lane, LaneOfGuilds>>;
  readonly #targets = new Set<string>();
  readonly #unfinished = new Set<Promise<void>>();

  constructor(bounds: Bounds) {
    this.#lanes = { quick: new LaneOfGuilds(bounds), slow: new LaneOfGuilds(bounds) };
  }

  /**
   * Does `work` when its turn has come. Resolves when it is done.
   *
   * @returns null if too many actions of the guild wait already
   */
  run(turn: Turn, work: () => Promise<void>): Promise<void> | null {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const begin = () => {
      work()
        .finally(() => this.#end(turn))
        .then(resolve, reject);
    };
    if (!this.#lanes[turn.lane].add({ turn, begin })) return null;
    const finished = promise.finally(() => this.#unfinished.delete(finished));
    this.#unfinished.add(finished);
    this.#beginNext();
    return finished;
  }

  /** Resolves when nothing runs or waits any more. */
  async idle(): Promise<void> {
    while (this.#unfinished.size > 0) await Promise.allSettled(this.#unfinished);
  }

  #end(turn: Turn): void {
    this.#lanes[turn.lane].end(turn);
    if (turn.target !== null) this.#targets.delete(turn.target);
    this.#beginNext();
  }

  #beginNext(): void {
    for (const lane of Object.values(this.#lanes)) {
      for (let next = lane.next(this.#isFree); next !== null; next = lane.next(this.#isFree)) {
        if (next.turn.target !== null) this.#targets.add(next.turn.target);
        next.begin();
      }
    }
  }

  readonly #isFree = (target: string): boolean => !this.#targets.has(target);
}
