import { ApiError } from '@bailiff/core';
import type { Database } from '@bailiff/prisma';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';

/** Of whom requests are counted, as `details.scope` names it (decisions: Errors). */
type Scope = 'ip' | 'session';

/**
 * Counts one request of `key` and returns how many are left.
 *
 * @throws ApiError RATE_LIMITED when the window is used up.
 */
export type RequestWindow = (key: string, scope: Scope, what: string) => Promise<number>;

/**
 * A window of requests, shared by all web processes through PostgreSQL (spec §8). A key that is over the limit is refused
 * from memory and costs no query. Windows that ended an hour ago are dropped by the library.
 */
export function createRequestWindow(
  pool: Database['pool'],
  name: string,
  { requests, windowSeconds }: { readonly requests: number; readonly windowSeconds: number },
): RequestWindow {
  const limiter = new RateLimiterPostgres({
    storeClient: pool,
    tableName: 'rate_limits',
    tableCreated: true,
    keyPrefix: name,
    points: requests,
    duration: windowSeconds,
    inMemoryBlockOnConsumed: requests + 1,
  });
  return async (key, scope, what) => {
    try {
      return (await limiter.consume(key)).remainingPoints;
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      const retryAfterSeconds = Math.max(1, Math.ceil(refused.msBeforeNext / 1000));
      throw new ApiError('RATE_LIMITED', `Too many ${what}. Try again in ${retryAfterSeconds} s.`, {
        details: { scope, retry_after_seconds: retryAfterSeconds },
      });
    }
  };
}
