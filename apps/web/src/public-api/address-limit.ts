import { ApiError } from '@bailiff/core';
import type { Database } from '@bailiff/prisma';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';

/** Requests per address on the public API (spec §8). */
export const ADDRESS_LIMIT = { requests: 600, windowSeconds: 300 } as const;

/** Counts a request of an address, tells its `X-RateLimit-*`, and refuses it when the window is used up. */
export type AddressLimit = (address: string, headers: Headers) => Promise<void>;

/**
 * The per-address window, shared by all web processes through PostgreSQL. An address that is over its limit is refused
 * from memory and costs no query.
 */
export function createAddressLimiter(pool: Database['pool']): AddressLimit {
  const limiter = new RateLimiterPostgres({
    storeClient: pool,
    tableName: 'rate_limits',
    tableCreated: true,
    keyPrefix: 'public',
    points: ADDRESS_LIMIT.requests,
    duration: ADDRESS_LIMIT.windowSeconds,
    inMemoryBlockOnConsumed: ADDRESS_LIMIT.requests + 1,
    clearExpiredByTimeout: false,
  });
  return async (address, headers) => {
    headers.set('X-RateLimit-Limit', String(ADDRESS_LIMIT.requests));
    headers.set('X-RateLimit-Remaining', '0');
    const window = await limiter.consume(address).catch((refused: unknown) => {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      throw tooManyRequests(refused.msBeforeNext);
    });
    headers.set('X-RateLimit-Remaining', String(window.remainingPoints));
  };
}

function tooManyRequests(waitMs: number): ApiError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
  const message = `Too many requests from your address. Try again in ${retryAfterSeconds} s.`;
  return new ApiError('RATE_LIMITED', message, {
    details: { scope: 'ip', retry_after_seconds: retryAfterSeconds },
  });
}
