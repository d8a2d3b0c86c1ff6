import type { TurnBound } from '@bailiff/engine/cases/direct-channels';
import Bottleneck from 'bottleneck';
import { watchClock } from './clock-steps.ts';
import { type DiscordApi, DiscordFailure, LONGEST_REQUEST_MS } from './discord-api.ts';
import { waited } from './rate-limits.ts';
import { type PromptLimits, PromptTurns, Turns } from './turns.ts';

/**
 * Runs work when its turn has come. If `signal` fires before that, or too much is waiting, the work never begins and
 * the call fails with a DiscordFailure of kind `not_sent`. Once begun, the work's own result is returned.
 */
export type Pace = <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;

/** The paces of one bot process. They hold nothing durable: waiting work is refused when its signal fires. */
export interface Paces {
  /**
   * For opening one conversation, for a message that cannot be sent later. It waits while others are under way, and is
   * refused at once if the next turn is many seconds away.
   */
  readonly paceDirectMessages: Pace;
  /** The same for a message that can. It waits for any turn, and leaves half of them to the others. */
  readonly paceLaterMessages: Pace;
  /** Whether a turn is left for such a message. */
  hasLaterTurn(): Promise<boolean>;
  /** What all processes of the bot may open together, and how much of it is for messages that can be sent later. */
  readonly conversations: TurnBound;
  readonly laterConversations: TurnBound;
  /** Lets no conversation begin for this time. */
  holdConversations(ms: number): void;
  /** For one request about a guild, so that no guild uses up all that Discord allows the bot. */
  paceOfGuild(guildId: string): Pace;
  /** Starts no more work. */
  close(): Promise<void>;
}

/**
 * Discord quarantines a bot that opens 25 to 40 conversations at once (hazards H30). Eight at once and then three a
 * minute are at most 23 in any five minutes.
 */
const DIRECT_MESSAGES: PromptLimits = {
  maxConcurrent: 2,
  reservoir: 8,
  reservoirIncreaseInterval: 20_000,
  reservoirIncreaseAmount: 1,
  reservoirIncreaseMaximum: 8,
  highWater: 20,
};
const LATER_MESSAGES: PromptLimits = {
  ...DIRECT_MESSAGES,
  maxConcurrent: 1,
  reservoir: 4,
  reservoirIncreaseInterval: 40_000,
  reservoirIncreaseMaximum: 4,
};
/** Discord allows a bot 50 requests a second. A guild may use 20 of them, and catch up after a quiet second. */
const GUILD: PromptLimits = {
  maxConcurrent: 10,
  reservoir: 40,
  reservoirIncreaseInterval: 250,
  reservoirIncreaseAmount: 5,
  reservoirIncreaseMaximum: 40,
  highWater: 100,
};
/**
 * A slot that is not released after this time counts as free. It is longer than any request may take, also one that waits
 * behind another in the library.
 */
const PLACE_LOST_AFTER_MS = LONGEST_REQUEST_MS + 15_000;
const MOST_GUILDS = 200;

/** What tests may change. */
export interface PaceLimits {
  readonly directMessages?: Partial<PromptLimits>;
  readonly laterMessages?: Partial<PromptLimits>;
  readonly guild?: Partial<PromptLimits>;
  readonly placeLostAfterMs?: number;
}

export function createPaces({
  directMessages: ofMessages,
  laterMessages: ofLater,
  guild: ofGuild,
  placeLostAfterMs = PLACE_LOST_AFTER_MS,
}: PaceLimits = {}): Paces {
  const messageLimits = { ...DIRECT_MESSAGES, ...ofMessages };
  const laterLimits = { ...LATER_MESSAGES, ...ofLater };
  const directMessages = new PacedTurns(messageLimits, placeLostAfterMs);
  const laterMessages = new PacedTurns(laterLimits, placeLostAfterMs);
  const what = 'the direct message: too many are under way';
  let heldUntil = 0;
  const notSent = () => new DiscordFailure('not_sent', `Discord was not sent ${what}`);
  const heldMs = () => heldUntil - performance.now();
  /** A turn of those that all messages share. */
  const turnOfAll: Pace = async (work, signal) => {
    if (heldMs() > 0 && !(await waited(heldMs(), signal))) throw notSent();
    return directMessages.take(work, signal, what);
  };
  // In order of last use.
  const guilds = new Map<string, PromptTurns>();
  const turnsOf = (guildId: string) => {
    const known = guilds.get(guildId);
    if (known === undefined && guilds.size >= MOST_GUILDS) forgetIdlest(guilds);
    const turns = known ?? new PromptTurns({ ...GUILD, ...ofGuild }, placeLostAfterMs);
    guilds.delete(guildId);
    guilds.set(guildId, turns);
    return turns;
  };
  return {
    paceDirectMessages: async (work, signal) => {
      if (heldMs() > 0) throw notSent();
      return directMessages.takeIfLeft(work, signal, what);
    },
    // The turn of all comes second, so that what waits for it is never more than one of these.
    paceLaterMessages: (work, signal) => laterMessages.take(() => turnOfAll(work, signal), signal, what),
    hasLaterTurn: async () =>
      heldMs() <= 0 && !(await laterMessages.areSpent()) && !(await directMessages.areSpent()),
    conversations: boundOf('conversations', messageLimits),
    laterConversations: boundOf('later conversations', laterLimits),
    holdConversations: (ms) => {
      heldUntil = performance.now() + ms;
    },
    paceOfGuild: (guildId) => async (work, signal) =>
      turnsOf(guildId).take(work, signal, 'the request: too much is under way in this guild'),
    close: async () => {
      const all = [directMessages, laterMessages, ...guilds.values()];
      guilds.clear();
      await Promise.all(all.map((turns) => turns.close()));
    },
  };
}

/** One process may open as many as all together. */
function boundOf(key: string, { reservoir, reservoirIncreaseInterval }: PromptLimits): TurnBound {
  return { key, most: reservoir, everyMs: reservoirIncreaseInterval };
}

/** The same API for work on one guild: each request waits for its turn. */
export function pacedApi(api: DiscordApi, paces: Pick<Paces, 'paceOfGuild'>, guildId: string): DiscordApi {
  const guild = { id: guildId, take: paces.paceOfGuild(guildId) };
  return {
    get: (route, options) => api.get(route, { ...options, guild }),
    send: (method, route, options) => api.send(method, route, { ...options, guild }),
    checkLimits: api.checkLimits,
  };
}

/** Removes the longest idle entry, so that the map stays bounded. */
function forgetIdlest(guilds: Map<string, PromptTurns>): void {
  for (const [guildId, turns] of guilds) {
    if (!turns.areIdle()) continue;
    guilds.delete(guildId);
    void turns.close();
    return;
  }
  throw new DiscordFailure('not_sent', `Discord was not asked: ${MOST_GUILDS} guilds are busy at once`);
}

/** Turns of bottleneck, which only decides whose turn it is: it cannot remove work whose caller gave up. */
class PacedTurns extends Turns {
  readonly #options: Bottleneck.ConstructorOptions;
  readonly #placeLostAfterMs: number;
  readonly #hasClockSteppedBack = watchClock();
  #limiter: Bottleneck;
  /** Turns that were requested from the limiter and not given yet. */
  #asked = 0;

  constructor(options: Bottleneck.ConstructorOptions, placeLostAfterMs: number) {
    super();
    // If too much is waiting, new work is refused rather than work that already waits.
    this.#options = { ...options, strategy: Bottleneck.strategy.OVERFLOW };
    this.#placeLostAfterMs = placeLostAfterMs;
    this.#limiter = new Bottleneck(this.#options);
  }

  areIdle(): boolean {
    return Object.values(this.#limiter.counts()).every((count) => count === 0);
  }

  /** Whether nothing more can begin before the next interval, which is many seconds away. */
  async areSpent(): Promise<boolean> {
    return (await this.#left()) <= this.waiting.length;
  }

  /** As `take`, but refuses at once what would wait for the next interval. */
  async takeIfLeft<T>(work: () => Promise<T>, signal: AbortSignal, what: string): Promise<T> {
    const left = await this.#left();
    // From here to its place among those that wait, nothing else happens.
    if (left <= this.waiting.length) throw new DiscordFailure('not_sent', `Discord was not sent ${what}`);
    return this.take(work, signal, what);
  }

  close(): Promise<void> {
    return this.#limiter.disconnect();
  }

  /** How many turns can be given before the next interval. */
  async #left(): Promise<number> {
    this.#followClock();
    return (await this.#limiter.currentReservoir()) ?? Number.POSITIVE_INFINITY;
  }

  protected added(): void {
    this.#followClock();
    this.#askForAll();
  }

  #askForAll(): void {
    while (this.#asked < this.waiting.length) this.#ask(this.#limiter);
  }

  /** Begins anew, with one turn, after the clock has stepped back: bottleneck would give none until it has caught up. */
  #followClock(): void {
    if (!this.#hasClockSteppedBack()) return;
    void this.#limiter.disconnect();
    this.#limiter = new Bottleneck({ ...this.#options, reservoir: 1 });
    this.#asked = 0;
    this.#askForAll();
  }

  #ask(limiter: Bottleneck): void {
    let isGiven = false;
    const turn = async () => {
      if (limiter !== this.#limiter) return;
      isGiven = true;
      this.#asked -= 1;
      const next = this.waiting.shift();
      if (next === undefined) await limiter.incrementReservoir(1);
      else await next.begin();
    };
    this.#asked += 1;
    limiter.schedule({ expiration: this.#placeLostAfterMs }, turn).catch(() => {
      // A slot that was given up as lost also gets here.
      if (isGiven || limiter !== this.#limiter) return;
      this.#asked -= 1;
      // Skip this if so many callers gave up that the turns already requested are enough.
      if (this.waiting.length > this.#asked) this.waiting.at(-1)?.refuse();
    });
  }
}
