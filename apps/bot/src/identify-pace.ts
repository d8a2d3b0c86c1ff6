import { setTimeout as delay } from 'node:timers/promises';
import { keptFor } from '@bailiff/engine/database/kept-for';
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

/** The day's sessions, as Discord counts them over all starts of the bot. */
interface SessionBudget {
  readonly total: number;
  readonly remaining: number;
  readonly resetAfterMs: number;
}

/**
 * Share of the day's thousand sessions, per shard, that may begin without a pause: enough for an operator's restarts or
 * a short failure.
 */
const FREE_SHARE = 0.05;
/**
 * Share of the day's sessions that may begin at all, per shard. A bot that crashes all day stays far below the
 * thousandth, after which Discord resets its token (hazards H30).
 */
const MOST_SHARE = 0.09;
/** Upper limits of both shares, for any number of shards. */
const FREE_AT_MOST = 0.5;
const MOST_AT_MOST = 0.9;

/** Sessions that are never used, because Discord resets the token of a bot that has used them all. */
const KEPT_BACK = 20;
/**
 * The longest pause: when the reason of the many restarts is gone, the bot is soon back. Fifty free sessions and two
 * an hour are fewer than a hundred in a day.
 */
const LONGEST_BUDGET_PAUSE_MS = 30 * 60_000;
const LONG_AGO_MS = 24 * 60 * 60_000;

/**
 * Milliseconds between one identify and the next, whichever process makes it. The sessions left are spread over the
 * rest of the day. Infinity if Discord would reset the token.
 */
function spacingByBudget({ total, remaining, resetAfterMs }: SessionBudget, shardCount: number): number {
  const used = total - remaining;
  if (used < total * Math.min(FREE_AT_MOST, FREE_SHARE * shardCount)) return 0;
  if (remaining <= KEPT_BACK) return Number.POSITIVE_INFINITY;
  const left = Math.floor(total * Math.min(MOST_AT_MOST, MOST_SHARE * shardCount)) - used;
  return Math.min(left > 0 ? resetAfterMs / left : Number.POSITIVE_INFINITY, LONGEST_BUDGET_PAUSE_MS);
}

const SPACING_MS = 5_000;
const MEMORY_MS = 10 * 60_000;
const FREE_IDENTIFIES = 5;
const LONGEST_SPACING_MS = 5 * 60_000;

/** The same for one shard within one process: sessions that keep ending get ever longer pauses. */
function spacingByRecent(count: number): number {
  const excess = Math.max(0, count - FREE_IDENTIFIES);
  return count === 0 ? 0 : Math.min(SPACING_MS * 2 ** excess, LONGEST_SPACING_MS);
}

/** How often Discord is asked again during a wait, because another day may have begun. */
const ASKED_EVERY_MS = 10 * 60_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
const REQUEST_TIMEOUT_MS = 10_000;
/** How long an answer about the gateway is used again: Discord gives two in five seconds, and a start needs more. */
const ANSWER_KEPT_MS = 5_000;
const NO_DATABASE = 'the database cannot be reached; trying again';

/** The time in milliseconds from an arbitrary start, and a way to wait. */
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
  /** The number of shards of the bot, in all processes. Null: as many as Discord recommends. */
  readonly shardCount: number | null;
  /** Reserves the next identify of a bucket among all processes of the bot. Resolves to the milliseconds until it. */
  readonly takeTurn: (bucket: number) => Promise<number>;
  /** Milliseconds since the last identify of any process of the bot. Null if there was none. */
  readonly sinceLast: () => Promise<number | null>;
  readonly clock?: Clock;
}

/** Shards of one bucket identify one after the other. Discord says how many buckets there are. */
interface Bucket {
  lastAt: number;
  turn: Promise<void>;
}

/**
 * Spaces identifies. Discord allows one every five seconds for each bucket of shards, over all processes, and a
 * thousand a day, after which it resets the token. The day's count is read from Discord, so that it survives a crash
 * and restart of the bot.
 */
export class IdentifyPace implements IIdentifyThrottler {
  readonly #settings: PaceSettings;
  readonly #clock: Clock;
  /** When the bot last identified. Undefined until the database was asked. */
  #lastAt: number | undefined;
  #shardCount: number;
  #maxConcurrency = 1;
  /** Sessions that this process has begun. */
  #begun = 0;
  readonly #ask: () => Promise<{ told: RESTGetAPIGatewayBotResult; begunBefore: number }>;
  readonly #buckets = new Map<number, Bucket>();
  readonly #recent = new Map<number, number[]>();

  constructor(settings: PaceSettings) {
    this.#settings = settings;
    this.#clock = settings.clock ?? REAL_TIME;
    this.#shardCount = settings.shardCount ?? 1;
    this.#ask = keptFor(
      ANSWER_KEPT_MS,
      async () => {
        const begunBefore = this.#begun;
        // Several may wait for it, so none of them ends it.
        const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
        return { told: await settings.api.get(Routes.gatewayBot(), { signal }), begunBefore };
      },
      () => this.#clock.now(),
    );
  }

  /**
   * What Discord says of the gateway, with the sessions that are left now. Waits while it is unreachable.
   *
   * @throws DiscordRefusal if Discord does not accept the token
   */
  async gateway(signal: AbortSignal): Promise<RESTGetAPIGatewayBotResult> {
    const { told, begunBefore } = await this.#retry(
      signal,
      'Discord cannot be reached; trying again',
      this.#ask,
    );
    const { session_start_limit: limit } = told;
    const remaining = Math.max(0, limit.remaining - (this.#begun - begunBefore));
    return { ...told, session_start_limit: { ...limit, remaining } };
  }

  /**
   * Waits until the day's sessions allow another one, and while Discord is unreachable.
   *
   * @throws DiscordRefusal if Discord does not accept the token
   */
  async untilAllowed(signal: AbortSignal): Promise<void> {
    for (let isTold = false; ; ) {
      const budget = await this.#budget(signal);
      this.#lastAt ??= await this.#lastIdentify(signal);
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

  /** How many shards Discord recommends. Waits while it is unreachable. @throws DiscordRefusal */
  async recommendedShards(signal: AbortSignal): Promise<number> {
    await this.#budget(signal);
    return this.#shardCount;
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
        // The gateway will report it too, in the way that ends the bot.
        if (!(error instanceof DiscordRefusal)) throw error;
      });
      await this.#untilTurn(bucketId, signal);
      this.#begun += 1;
      this.#lastAt = this.#clock.now();
      bucket.lastAt = this.#lastAt;
      this.#recentOf(shardId).push(this.#lastAt);
    } finally {
      resolve();
    }
  }

  async #lastIdentify(signal: AbortSignal): Promise<number> {
    const sinceMs = await this.#retry(signal, NO_DATABASE, () => this.#settings.sinceLast());
    return this.#clock.now() - (sinceMs ?? LONG_AGO_MS);
  }

  /** Waits for the spacing within this process. */
  async #untilSpaced(shardId: number, { lastAt }: Bucket, signal: AbortSignal): Promise<void> {
    const recent = this.#recentOf(shardId);
    const dueAt = Math.max(lastAt + SPACING_MS, (recent.at(-1) ?? 0) + spacingByRecent(recent.length));
    const pauseMs = dueAt - this.#clock.now();
    if (pauseMs > 0) await this.#clock.wait(pauseMs, signal);
  }

  /** Waits for the turn among all processes. */
  async #untilTurn(bucketId: number, signal: AbortSignal): Promise<void> {
    const pauseMs = await this.#retry(signal, NO_DATABASE, () => this.#settings.takeTurn(bucketId));
    if (pauseMs > 0) await this.#clock.wait(pauseMs, signal);
  }

  async #budget(signal: AbortSignal): Promise<SessionBudget> {
    const { session_start_limit: limit, shards } = await this.gateway(signal);
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
          throw refusalBy(GatewayCloseCodes.AuthenticationFailed, false);
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
