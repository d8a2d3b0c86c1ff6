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

/** The sessions of this day, as Discord counts them over all starts of the bot. */
interface SessionBudget {
  readonly total: number;
  readonly remaining: number;
  readonly resetAfterMs: number;
}

/** Of the day's sessions (a thousand), so many may begin as fast as it goes: restarts of an operator, a bad hour. */
const FREE_SHARE = 0.05;
/** And no more than so many at all: a bot that crashes all day stays far from the thousandth, after which Discord resets
 * its token (hazards H30). */
const MOST_SHARE = 0.09;

/**
 * Milliseconds that lie between one identify, or the start of the process, and the next: what is left for the day is
 * spread over what is left of the day. Infinity when nothing is left.
 */
function spacingByBudget({ total, remaining, resetAfterMs }: SessionBudget): number {
  const used = total - remaining;
  if (used < total * FREE_SHARE) return 0;
  const left = Math.floor(total * MOST_SHARE) - used;
  return left > 0 ? resetAfterMs / left : Number.POSITIVE_INFINITY;
}

const SPACING_MS = 5_000;
const MEMORY_MS = 10 * 60_000;
const FREE_IDENTIFIES = 5;
const LONGEST_SPACING_MS = 5 * 60_000;

/** The same within one process: Discord allows one in five seconds, and sessions that keep being ended cost ever more. */
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

/**
 * Spaces identifies: Discord allows one in five seconds, and a thousand a day, after which it resets the token. The day's
 * count is Discord's own, so that it outlives this process: a bot that crashes and is started again cannot forget it.
 */
export class IdentifyPace implements IIdentifyThrottler {
  readonly #api: DiscordApi;
  readonly #log: Logger;
  readonly #clock: Clock;
  /** When this process last identified, or began. */
  #lastAt: number;
  #recent: number[] = [];
  #turn: Promise<void> = Promise.resolve();

  constructor(settings: { api: DiscordApi; log: Logger; clock?: Clock }) {
    this.#api = settings.api;
    this.#log = settings.log;
    this.#clock = settings.clock ?? REAL_TIME;
    this.#lastAt = this.#clock.now();
  }

  /**
   * Waits until a session may begin. An unreachable Discord is waited out.
   *
   * @throws DiscordRefusal when Discord does not accept the token
   */
  async untilAllowed(signal: AbortSignal): Promise<void> {
    for (let isTold = false; ; ) {
      const budget = await this.#budget(signal);
      const now = this.#clock.now();
      this.#recent = this.#recent.filter((at) => now - at < MEMORY_MS);
      const spacingMs = Math.max(spacingByBudget(budget), spacingByRecent(this.#recent.length));
      const pauseMs = this.#lastAt + spacingMs - now;
      if (pauseMs <= 0) return;
      if (pauseMs > SPACING_MS && !isTold) {
        isTold = true;
        this.#log.warn(
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

  async waitForIdentify(_shardId: number, signal: AbortSignal): Promise<void> {
    const before = this.#turn;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#turn = promise;
    try {
      await before;
      await this.untilAllowed(signal).catch((error: unknown) => {
        // The gateway will say so itself, in the way that ends the bot.
        if (!(error instanceof DiscordRefusal)) throw error;
      });
      this.#lastAt = this.#clock.now();
      this.#recent.push(this.#lastAt);
    } finally {
      resolve();
    }
  }

  async #budget(signal: AbortSignal): Promise<SessionBudget> {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      signal.throwIfAborted();
      try {
        const { session_start_limit: limit } = await this.#api.get<RESTGetAPIGatewayBotResult>(
          Routes.gatewayBot(),
          {
            signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
          },
        );
        return { total: limit.total, remaining: limit.remaining, resetAfterMs: limit.reset_after };
      } catch (error) {
        if (!(error instanceof DiscordFailure)) throw error;
        if (error.status === 401) throw refusalBy(GatewayCloseCodes.AuthenticationFailed);
        this.#log.warn({ err: error, pause_ms: pauseMs }, 'Discord cannot be reached; trying again');
      }
      await this.#clock.wait(pauseMs, signal);
    }
  }
}
