import { setTimeout as delay } from 'node:timers/promises';
import {
  GatewayCloseCodes,
  type IIdentifyThrottler,
  type RESTGetAPIGatewayBotResult,
  Routes,
} from 'discord.js';
import { DiscordRefusal, refusalBy } from './discord.ts';
import { type DiscordApi, DiscordFailure } from './discord-api.ts';
import type { Logger } from './log.ts';
import { retryWithBackoff } from './retry.ts';

/** The sessions of this day, as Discord counts them over all starts of the bot. */
interface SessionBudget {
  readonly total: number;
  readonly remaining: number;
  readonly resetAfterMs: number;
}

/** Of the day's sessions (a thousand), so many per shard may begin as fast as it goes: restarts of an operator, a bad hour. */
const FREE_SHARE = 0.05;
/** And no more than so many at all: a bot that crashes all day stays far from the thousandth, after which Discord resets
 * its token (hazards H30). */
const MOST_SHARE = 0.09;
/** However many shards there are. */
const FREE_AT_MOST = 0.5;
const MOST_AT_MOST = 0.9;

/**
 * Milliseconds that lie between one identify, or the start of the process, and the next: what is left for the day is
 * spread over what is left of the day. Infinity when nothing is left.
 */
function spacingByBudget({ total, remaining, resetAfterMs }: SessionBudget, shardCount: number): number {
  const used = total - remaining;
  if (used < total * Math.min(FREE_AT_MOST, FREE_SHARE * shardCount)) return 0;
  const left = Math.floor(total * Math.min(MOST_AT_MOST, MOST_SHARE * shardCount)) - used;
  return left > 0 ? resetAfterMs / left : Number.POSITIVE_INFINITY;
}

const SPACING_MS = 5_000;
const MEMORY_MS = 10 * 60_000;
const FREE_IDENTIFIES = 5;
const LONGEST_SPACING_MS = 5 * 60_000;

/** The same for one shard within one process: sessions that keep being ended cost ever more. */
function spacingByRecent(count: number): number {
  const excess = Math.max(0, count - FREE_IDENTIFIES);
  return count === 0 ? 0 : Math.min(SPACING_MS * 2 ** excess, LONGEST_SPACING_MS);
}

/** While waiting, Discord is asked again so often: another day may have begun. */
const ASKED_EVERY_MS = 10 * 60_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
const REQUEST_TIMEOUT_MS = 10_000;

/** What time it is in milliseconds, counted from anywhere, and how to wait. */
export interface Clock {
  now(): number;
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

const REAL_TIME: Clock = {
  now: () => performance.now(),
  wait: (ms, signal) => delay(ms, undefined, { signal }),
};

export interface PaceSettings {
  readonly api: DiscordApi;
  readonly log: Logger;
  /** How many shards the bot has, in all processes; null for as many as Discord recommends. */
  readonly shardCount: number | null;
  /** Reserves the next identify of a bucket among all processes of the bot; milliseconds until it. */
  readonly takeTurn: (bucket: number) => Promise<number>;
  readonly clock?: Clock;
}

/** Shards of one bucket identify one after the other; Discord says how many buckets there are. */
interface Bucket {
  lastAt: number;
  turn: Promise<void>;
}

/**
 * Spaces identifies: Discord allows one in five seconds for each bucket of shards, over all processes, and a thousand a day,
 * after which it resets the token. The day's count is Discord's own, so that it outlives this process: a bot that crashes
 * and is started again cannot forget it.
 */
export class IdentifyPace implements IIdentifyThrottler {
  readonly #settings: PaceSettings;
  readonly #clock: Clock;
  /** When this process last identified, or began. */
  #lastAt: number;
  #shardCount: number;
  #maxConcurrency = 1;
  readonly #buckets = new Map<number, Bucket>();
  readonly #recent = new Map<number, number[]>();

  constructor(settings: PaceSettings) {
    this.#settings = settings;
    this.#clock = settings.clock ?? REAL_TIME;
    this.#lastAt = this.#clock.now();
    this.#shardCount = settings.shardCount ?? 1;
  }

  /**
   * Waits until the day's sessions admit one more. An unreachable Discord is waited out.
   *
   * @throws DiscordRefusal when Discord does not accept the token
   */
  async untilAllowed(signal: AbortSignal): Promise<void> {
    for (let isTold = false; ; ) {
      const budget = await this.#budget(signal);
      const pauseMs = this.#lastAt + spacingByBudget(budget, this.#shardCount) - this.#clock.now();
      if (pauseMs <= 0) return;
      if (pauseMs > SPACING_MS && !isTold) {
        isTold = true;
        this.#settings.log.warn(
          {
            remaining: budget.remaining,
            total: budget.total,
            pause_ms: Math.min(pauseMs, budget.resetAfterMs),
          },
          'the bot has connected to Discord very often today; waiting before the next time',
        );
      }
      await this.#clock.wait(Math.min(pauseMs, ASKED_EVERY_MS), signal);
    }
  }

  async waitForIdentify(shardId: number, signal: AbortSignal): Promise<void> {
    const bucketId = shardId % this.#maxConcurrency;
    const bucket = this.#bucket(bucketId);
    const before = bucket.turn;
    const { promise, resolve } = Promise.withResolvers<void>();
    bucket.turn = promise;
    try {
      await before;
      await this.#untilSpaced(shardId, bucket, signal);
      await this.untilAllowed(signal).catch((error: unknown) => {
        // The gateway will say so itself, in the way that ends the bot.
        if (!(error instanceof DiscordRefusal)) throw error;
      });
      await this.#untilTurn(bucketId, signal);
      this.#lastAt = this.#clock.now();
      bucket.lastAt = this.#lastAt;
      this.#recentOf(shardId).push(this.#lastAt);
    } finally {
      resolve();
    }
  }

  /** Within this process. */
  async #untilSpaced(shardId: number, { lastAt }: Bucket, signal: AbortSignal): Promise<void> {
    const recent = this.#recentOf(shardId);
    const dueAt = Math.max(lastAt + SPACING_MS, (recent.at(-1) ?? 0) + spacingByRecent(recent.length));
    const pauseMs = dueAt - this.#clock.now();
    if (pauseMs > 0) await this.#clock.wait(pauseMs, signal);
  }

  /** Among all processes. */
  async #untilTurn(bucketId: number, signal: AbortSignal): Promise<void> {
    const pauseMs = await this.#retry(signal, 'the database cannot be reached; trying again', () =>
      this.#settings.takeTurn(bucketId),
    );
    if (pauseMs > 0) await this.#clock.wait(pauseMs, signal);
  }

  async #budget(signal: AbortSignal): Promise<SessionBudget> {
    const inTime = () => AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]);
    const { session_start_limit: limit, shards } = await this.#retry(
      signal,
      'Discord cannot be reached; trying again',
      () => this.#settings.api.get<RESTGetAPIGatewayBotResult>(Routes.gatewayBot(), { signal: inTime() }),
    );
    this.#maxConcurrency = Math.max(1, limit.max_concurrency);
    this.#shardCount = this.#settings.shardCount ?? shards;
    return { total: limit.total, remaining: limit.remaining, resetAfterMs: limit.reset_after };
  }

  /** @throws DiscordRefusal when Discord does not accept the token */
  #retry<T>(signal: AbortSignal, problem: string, attempt: () => Promise<T>): Promise<T> {
    return retryWithBackoff(attempt, {
      signal,
      firstPauseMs: FIRST_PAUSE_MS,
      longestPauseMs: LONGEST_PAUSE_MS,
      onFailure: (error, pauseMs) => {
        if (error instanceof DiscordFailure && error.status === 401) {
          throw refusalBy(GatewayCloseCodes.AuthenticationFailed);
        }
        this.#settings.log.warn({ err: error, pause_ms: pauseMs }, problem);
      },
      wait: (ms, during) => this.#clock.wait(ms, during),
    });
  }

  #bucket(id: number): Bucket {
    let bucket = this.#buckets.get(id);
    if (bucket === undefined) {
      bucket = { lastAt: Number.NEGATIVE_INFINITY, turn: Promise.resolve() };
      this.#buckets.set(id, bucket);
    }
    return bucket;
  }

  #recentOf(shardId: number): number[] {
    const now = this.#clock.now();
    const recent = (this.#recent.get(shardId) ?? []).filter((at) => now - at < MEMORY_MS);
    this.#recent.set(shardId, recent);
    return recent;
  }
}
