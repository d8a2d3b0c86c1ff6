import { setTimeout as delay } from 'node:timers/promises';

/** A request that is to be sent. */
export interface Asked {
  readonly method: string;
  readonly route: string;
  /** The guild that it is about, if that is known. */
  readonly guildId: string | undefined;
}

/** A request that was admitted. */
export interface Admission {
  /** Call this when the request has ended. */
  end(): void;
  /** Call this when Discord refused it for a limit: requests of its kind wait that long. */
  limited(ms: number, isGlobal: boolean): void;
}

interface Limit {
  readonly requests: number;
  readonly windowMs: number;
}

interface KnownLimit extends Limit {
  readonly method: string;
  /** The route, with `#` for each id. */
  readonly path: string;
  /** Who shares the limit; default: everyone who asks about the same channel or guild. */
  readonly shared?: 'guild' | 'bot';
}

/**
 * Limits that Discord's headers do not tell before the first 429, by the issue of discord/discord-api-docs that
 * describes them. A request waits for these, because 429s count towards a ban of the address.
 */
const KNOWN: readonly KnownLimit[] = [
  // #8161
  { method: 'GET', path: '/channels/#/messages', requests: 5, windowMs: 5_000 },
  // #5646
  { method: 'POST', path: '/channels/#/messages', requests: 5, windowMs: 5_000 },
  // #40
  { method: 'POST', path: '/channels/#/messages/bulk-delete', requests: 1, windowMs: 1_000, shared: 'guild' },
  // #8330
  { method: 'DELETE', path: '/channels/#/messages/#', requests: 3, windowMs: 1_000 },
  // #7394
  { method: 'GET', path: '/users/#', requests: 30, windowMs: 30_000, shared: 'bot' },
];
const ALL_ROUTES: Limit = { requests: 50, windowMs: 1_000 };
const UNKNOWN: Limit = { requests: Number.POSITIVE_INFINITY, windowMs: 0 };
const LEAST_WAIT_MS = 50;
/** After this a request is tried again, whatever Discord said: no limit of a route lasts longer. */
const LONGEST_CLOSED_MS = 3_600_000;
const MOST_WINDOWS = 2_000;

/**
 * Tells when a request may be sent. Discord counts a request when it arrives, which is between its sending and its
 * answer. So a request counts until its window has passed after its answer.
 */
export class RateLimits {
  readonly #all = new Window(ALL_ROUTES);
  readonly #windows = new Map<string, Window>();

  /** Milliseconds that a request has to wait; 0 if it can be sent now. */
  waitMs(asked: Asked): number {
    const now = performance.now();
    return Math.max(this.#all.waitMs(now), this.#windowOf(asked).waitMs(now));
  }

  /** Counts a request, which is sent now. */
  admit(asked: Asked): Admission {
    const window = this.#windowOf(asked);
    const ends = [window.enter(), this.#all.enter()];
    return {
      end: () => {
        for (const end of ends) end();
      },
      limited: (ms, isGlobal) => (isGlobal ? this.#all : window).close(Math.max(ms, LEAST_WAIT_MS)),
    };
  }

  #windowOf(asked: Asked): Window {
    const { key, limit } = bucketOf(asked);
    const window = this.#windows.get(key) ?? new Window(limit);
    if (!this.#windows.has(key) && this.#windows.size >= MOST_WINDOWS) this.#forgetIdle();
    this.#windows.set(key, window);
    return window;
  }

  #forgetIdle(): void {
    const now = performance.now();
    for (const [key, window] of this.#windows) if (window.isIdle(now)) this.#windows.delete(key);
  }
}

/** Waits. False if the signal fired first. */
export function waited(ms: number, signal: AbortSignal): Promise<boolean> {
  return delay(Math.max(ms, LEAST_WAIT_MS), true, { signal }).catch(() => false);
}

function bucketOf({ method, route, guildId }: Asked): { key: string; limit: Limit } {
  const segments = route.split('/').slice(1);
  const path = `/${segments.map((segment) => (isId(segment) ? '#' : segment)).join('/')}`;
  const known = KNOWN.find((each) => each.method === method && each.path === path);
  const [kind = '', major = ''] = segments;
  const isMajor = kind === 'channels' || kind === 'guilds' || kind === 'webhooks';
  const own = isMajor ? major : '';
  const owner = known?.shared === 'bot' ? '' : known?.shared === 'guild' ? (guildId ?? own) : own;
  return { key: `${method} ${path} ${owner}`, limit: known ?? UNKNOWN };
}

function isId(segment: string): boolean {
  return /^\d{17,20}$/.test(segment);
}

class Window {
  readonly #limit: Limit;
  /** When each counted request stops counting. */
  #counted: { until: number }[] = [];
  #closedUntil = 0;

  constructor(limit: Limit) {
    this.#limit = limit;
  }

  waitMs(now: number): number {
    if (this.#closedUntil > now) return this.#closedUntil - now;
    this.#counted = this.#counted.filter(({ until }) => until > now);
    if (this.#counted.length < this.#limit.requests) return 0;
    return Math.min(...this.#counted.map(({ until }) => until)) - now;
  }

  /** Counts a request. Call the result when it has ended. */
  enter(): () => void {
    const { windowMs } = this.#limit;
    if (windowMs === 0) return () => {};
    const counted = { until: performance.now() + windowMs };
    this.#counted.push(counted);
    return () => {
      counted.until = performance.now() + windowMs;
    };
  }

  close(ms: number): void {
    this.#closedUntil = Math.max(this.#closedUntil, performance.now() + Math.min(ms, LONGEST_CLOSED_MS));
  }

  isIdle(now: number): boolean {
    return this.#closedUntil <= now && this.#counted.every(({ until }) => until <= now);
  }
}
