import { ApiError } from '@bailiff/core';
import type { Database } from '@bailiff/prisma';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';

const EVERY_REQUEST = { points: 600, seconds: 60 };
const MINT = { points: 20, seconds: 3600 };

export interface DashboardLimits {
  /** Counts a request to /api/*, of a session or, without one, of an address (spec §8). */
  countRequest(holder: { session: string } | { address: string }): Promise<void>;
  /** Counts a POST to /api/api-tokens of a user, whatever comes of it (spec §8). */
  countMint(userId: string): Promise<void>;
}

/** Windows shared by all web processes through PostgreSQL. Each throws ApiError RATE_LIMITED when used up. */
export function createDashboardLimits({ pool }: Pick<Database, 'pool'>): DashboardLimits {
  const limiter = (keyPrefix: string, { points, seconds }: typeof MINT) =>
    new RateLimiterPostgres({
      storeClient: pool,
      tableName: 'rate_limits',
      tableCreated: true,
      clearExpiredByTimeout: false,
      keyPrefix,
      points,
      duration: seconds,
    });
  const requests = limiter('api', EVERY_REQUEST);
  const mints = limiter('mint', MINT);
  return {
    countRequest: (holder) =>
      'session' in holder
        ? consume(requests, `session:${holder.session}`, 'session', 'requests of this session')
        : consume(requests, `ip:${holder.address}`, 'ip', 'requests from your address'),
    countMint: (userId) => consume(mints, userId, 'session', 'new tokens within an hour'),
  };
}

async function consume(
  limiter: RateLimiterPostgres,
  key: string,
  scope: 'session' | 'ip',
  what: string,
): Promise<void> {
  await limiter.consume(key).catch((refused: unknown) => {
    if (!(refused instanceof RateLimiterRes)) throw refused;
    const seconds = Math.max(1, Math.ceil(refused.msBeforeNext / 1000));
    throw new ApiError('RATE_LIMITED', `Too many ${what}. Try again in ${seconds} s.`, {
      details: { scope, retry_after_seconds: seconds },
    });
  });
}
