import type { Database } from '@bailiff/prisma';
import { everyRequest } from '#src/address-limit.ts';
import { createRequestWindow } from '#src/request-window.ts';

const MINT = { requests: 20, windowSeconds: 3600 };

/** The limits of the dashboard's API. Each function throws ApiError RATE_LIMITED if the limit is used up. */
export interface DashboardLimits {
  /** Counts a request to /api/* for a session or, without one, for an address (spec §8). */
  countRequest(holder: { session: string } | { address: string }): Promise<void>;
  /** Counts a POST to /api/api-tokens for a user, whatever its result (spec §8). */
  countMint(userId: string): Promise<void>;
}

export function createDashboardLimits({ pool }: Pick<Database, 'pool'>): DashboardLimits {
  const requests = everyRequest(pool);
  const mints = createRequestWindow(pool, 'mint', MINT);
  return {
    countRequest: async (holder) => {
      if ('session' in holder)
        await requests.count(`session:${holder.session}`, 'session', 'requests of this session');
      else await requests.count(holder.address, 'ip', 'requests from your address');
    },
    countMint: async (userId) => {
      await mints.count(userId, 'session', 'new tokens within an hour');
    },
  };
}
