import { FairLane, type LaneBounds } from '@bailiff/engine/database/fair-lane';

/**
 * Actions that take seconds (game servers, purges) have slots of their own, so that nobody's ban waits for them. So has
 * what the system does (ends of bans, escalations, each ban of a mass ban), so that it does not wait for what a guild's
 * moderators do.
 */
export type Lane = 'quick' | 'slow' | 'system';

/** What an action needs: a slot of its lane, a place of its guild, and its target to itself. */
export interface Turn {
  readonly guildId: string;
  readonly lane: Lane;
  /** What nothing else may be done to meanwhile. Null: nothing in particular. */
  readonly target: string | null;
}

interface Waiting {
  readonly owner: string;
  readonly turn: Turn;
  readonly begin: () => void;
}

/**
 * Decides which action begins next, so that no guild's actions keep another guild's waiting and nothing is done to one
 * target twice at once (decisions: Guilds apart).
 */
export class FairTurns {
  readonly #lanes: Readonly<Record<Lane, FairLane<Waiting>>>;
  readonly #targets = new Set<string>();
  readonly #unfinished = new Set<Promise<void>>();

  constructor(bounds: LaneBounds) {
    this.#lanes = {
      quick: new FairLane(bounds),
      slow: new FairLane(bounds),
      system: new FairLane(bounds),
    };
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
    if (!this.#lanes[turn.lane].add({ owner: turn.guildId, turn, begin })) return null;
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
    this.#lanes[turn.lane].end(turn.guildId);
    if (turn.target !== null) this.#targets.delete(turn.target);
    this.#beginNext();
  }

  #beginNext(): void {
    for (const lane of Object.values(this.#lanes)) {
      for (let next = lane.next(this.#mayBegin); next !== null; next = lane.next(this.#mayBegin)) {
        if (next.turn.target !== null) this.#targets.add(next.turn.target);
        next.begin();
      }
    }
  }

  readonly #mayBegin = ({ turn: { target } }: Waiting): boolean =>
    target === null || !this.#targets.has(target);
}
