import type { Database } from '@bailiff/prisma';
import { createRequestWindow } from '../request-window.ts';

/** Requests per address on the public API (spec §8). */
export const ADDRESS_LIMIT = { requests: 600, windowSeconds: 300 } as const;

/** Counts a request of an address, tells its `X-RateLimit-*`, and refuses it when the window is used up. */
export type AddressLimit = (address: string, headers: Headers) => Promise<void>;

export function createAddressLimiter(pool: Database['pool']): AddressLimit {
  const count = createRequestWindow(pool, 'public', ADDRESS_LIMIT);
  return async (address, headers) => {
    headers.set('X-RateLimit-Limit', String(ADDRESS_LIMIT.requests));
    headers.set('X-RateLimit-Remaining', '0');
    headers.set('X-RateLimit-Remaining', String(await count(address, 'ip', 'requests from your address')));
  };
}
