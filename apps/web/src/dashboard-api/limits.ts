import type { Database } from '@bailiff/prisma';
import { createRequestWindow } from '../request-window.ts';

const EVERY_REQUEST = { requests: 600, windowSeconds: 60 };
const MINT = { requests: 20, windowSeconds: 3600 };

/** Each throws ApiError RATE_LIMITED when used up. */
export interface DashboardLimits {
  /** Counts a request to /api/*, of a session or, without one, of an address (spec §8). */
  countRequest(holder: { session: string } | { address: string }): Promise<void>;
  /** Counts a POST to /api/api-tokens of a user, whatever comes of it (spec §8). */
  countMint(userId: string): Promise<void>;
}

export function createDashboardLimits({ pool }: Pick<Database, 'pool'>): DashboardLimits {
  const requests = createRequestWindow(pool, 'api', EVERY_REQUEST);
  const mints = createRequestWindow(pool, 'mint', MINT);
  return {
    countRequest: async (holder) => {
      if ('session' in holder)
        await requests(`session:${holder.session}`, 'session', 'requests of this session');
      else await requests(`ip:${holder.address}`, 'ip', 'requests from your address');
    },
    countMint: async (userId) => {
      await mints(userId, 'session', 'new tokens within an hour');
    },
  };
}
