import { createHash } from 'node:crypto';
import type { Route } from './rest/route.ts';

export interface RateLimit {
  readonly limit: number;
  readonly windowSeconds: number;
}

/**
 * Higher than Discord's real limits of a few requests per second and route, so that tests show the caller's own pacing.
 */
export const DEFAULT_RATE_LIMIT: RateLimit = { limit: 100, windowSeconds: 1 };

/** Path parameters whose values each have their own bucket. */
const MAJOR = ['guild_id', 'channel_id', 'webhook_id', 'webhook_token', 'interaction_token'];

export interface Ticket {
  readonly headers: Record<string, string>;
  /** Seconds to wait when the bucket is empty, else null. */
  readonly retryAfterSeconds: number | null;
}

/** Buckets per route and major id, each refilled as a whole when its window ends. */
export class RateLimits {
  readonly #limit: RateLimit;
  readonly #buckets = new Map<string, { left: number; resetsAtMs: number }>();

  constructor(limit: RateLimit) {
    this.#limit = limit;
  }

  take(route: Route, params: Readonly<Record<string, string>>): Ticket {
    const nowMs = Date.now();
    const hash = createHash('sha256').update(`${route.method} ${route.path}`).digest('hex').slice(0, 32);
    const key = [hash, ...MAJOR.map((name) => params[name] ?? '')].join(':');
    let bucket = this.#buckets.get(key);
    if (!bucket || bucket.resetsAtMs <= nowMs) {
      bucket = { left: this.#limit.limit, resetsAtMs: nowMs + this.#limit.windowSeconds * 1000 };
      this.#buckets.set(key, bucket);
    }
    const refused = bucket.left === 0;
    if (!refused) bucket.left -= 1;
    const resetAfter = (bucket.resetsAtMs - nowMs) / 1000;
    return {
      retryAfterSeconds: refused ? resetAfter : null,
      headers: {
        'X-RateLimit-Limit': String(this.#limit.limit),
        'X-RateLimit-Remaining': String(bucket.left),
        'X-RateLimit-Reset': (bucket.resetsAtMs / 1000).toFixed(3),
        'X-RateLimit-Reset-After': resetAfter.toFixed(3),
        'X-RateLimit-Bucket': hash,
      },
    };
  }
}
