import { RESTJSONErrorCodes as Code } from 'discord.js';
import { DiscordFailure } from './discord-api.ts';

/** So many refusals in a row mean nothing yet: an owner may be changing the permissions. */
const FREE_REFUSALS = 3;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** For so long a post that was put off may not have come again. Another process may have taken it. */
const REFUSED_FOR_MS = 60_000;
/** Beyond that, the channel that was refused first is forgotten, and asked about once more. */
const MOST_CHANNELS = 2_000;

const CLOSED: readonly (number | undefined)[] = [Code.MissingAccess, Code.MissingPermissions];

/** What a post does while its channel is closed. */
export type IfClosed = 'ask' | 'go elsewhere' | 'wait';

/** A refusal that Discord is not asked for, because it has refused the same before. That one is noted. */
export class KnownRefusal extends DiscordFailure {
  constructor(message: string) {
    super('refused', message, { status: 403, code: Code.MissingAccess });
  }
}

interface Closed {
  readonly refusals: number;
  /** When one post may ask again, by `performance.now()`. */
  askAt: number;
  /** Posts that wait for that. */
  readonly waiting: Set<string>;
  /** Posts that waited for a refusal and have not come again, each with the time of it. */
  readonly refused: Map<string, number>;
}

/**
 * Channels that Discord closes to the bot. It counts each refusal towards a ban of the address, so that a guild whose log
 * is closed could have the whole bot banned. So after some refusals one post asks now and then, with pauses that grow to
 * a minute. Those that come meanwhile wait for its answer, and share its fate. It is what one process knows.
 */
export class ClosedChannels {
  readonly #closed = new Map<string, Closed>();

  /**
   * The result of work in a channel for the post with this id, if that is not known to be in vain.
   *
   * @throws DiscordFailure of this work, or as the latest work was refused, or that says how long to put the post off
   */
  async ask<T>(channelId: string, about: string, ifClosed: IfClosed, work: () => Promise<T>): Promise<T> {
    if (ifClosed !== 'ask') this.#requireTurn(channelId, about, ifClosed);
    try {
      const result = await work();
      this.#closed.delete(channelId);
      return result;
    } catch (error) {
      if (error instanceof DiscordFailure && CLOSED.includes(error.code)) this.#refuse(channelId);
      else if (error instanceof DiscordFailure && error.retryAfterMs !== undefined)
        this.#giveBackTurn(channelId);
      throw error;
    }
  }

  #requireTurn(channelId: string, about: string, ifClosed: IfClosed): void {
    const closed = this.#closed.get(channelId);
    if (closed === undefined) return;
    const now = performance.now();
    const refusedAt = closed.refused.get(about);
    closed.refused.delete(about);
    const retryAfterMs = closed.askAt - now;
    if (retryAfterMs <= 0) {
      // The others wait for what becomes of this one.
      closed.askAt = now + pauseAfter(closed.refusals);
      closed.waiting.delete(about);
      return;
    }
    const message = `Channel ${channelId} is closed to the bot, and Discord is not asked again yet`;
    const isRefused = refusedAt !== undefined && now - refusedAt < REFUSED_FOR_MS;
    if (isRefused || ifClosed === 'go elsewhere') throw new KnownRefusal(message);
    closed.waiting.add(about);
    throw new DiscordFailure('not_sent', message, { status: 429, retryAfterMs });
  }

  /** A post with the turn was put off before Discord was asked, such as by the limits of the channel. */
  #giveBackTurn(channelId: string): void {
    const closed = this.#closed.get(channelId);
    if (closed !== undefined) closed.askAt = performance.now();
  }

  #refuse(channelId: string): void {
    const before = this.#closed.get(channelId);
    const refusals = (before?.refusals ?? 0) + 1;
    const now = performance.now();
    const recent = [...(before?.refused ?? [])].filter(([, at]) => now - at < REFUSED_FOR_MS);
    const waited = [...(before?.waiting ?? [])].map((about) => [about, now] as const);
    this.#closed.delete(channelId);
    const [oldest] = this.#closed.keys();
    if (oldest !== undefined && this.#closed.size >= MOST_CHANNELS) this.#closed.delete(oldest);
    this.#closed.set(channelId, {
      refusals,
      askAt: now + pauseAfter(refusals),
      waiting: new Set(),
      refused: new Map([...recent, ...waited]),
    });
  }
}

function pauseAfter(refusals: number): number {
  return refusals < FREE_REFUSALS
    ? 0
    : Math.min(FIRST_PAUSE_MS * 2 ** (refusals - FREE_REFUSALS), LONGEST_PAUSE_MS);
}
