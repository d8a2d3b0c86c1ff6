import type { ApiError } from '@bailiff/core';
import { perOwner } from '@bailiff/engine/database/coalesce';
import type { Database } from '@bailiff/prisma';
import { createRequestWindow } from './request-window.ts';

export interface Limit {
  readonly requests: number;
  readonly windowSeconds: number;
}

/** The limit for requests to /api/*, per session or, without one, per address (spec §8). */
const EVERY_REQUEST: Limit = { requests: 600, windowSeconds: 60 };

type Pool = Database['pool'];

export const everyRequest = perOwner((pool: Pool) => createRequestWindow(pool, 'api', EVERY_REQUEST));

/**
 * Counts a request of an address in two windows, that of its path and that of /api/* as a whole, and returns how many
 * requests are left in the first. An address that is known to exceed one of them costs no query.
 *
 * @throws ApiError RATE_LIMITED if either window is used up.
 */
export type AddressLimit = (address: string) => Promise<number>;

const asked = ['ip', 'requests from your address'] as const;

/** @param name the name of the path's window */
export function createAddressLimit(pool: Pool, name: string, limit: Limit): AddressLimit {
  const windows = [createRequestWindow(pool, name, limit), everyRequest(pool)] as const;
  return async (address) => {
    for (const window of windows) window.refuseUsedUp(address, ...asked);
    const [left] = await Promise.all(windows.map((window) => window.count(address, ...asked)));
    return left ?? 0;
  };
}

/** The error that the next request of an address would get, without counting one; null if it would be allowed. */
export async function addressRefusal(
  pool: Pool,
  name: string,
  limit: Limit,
  address: string,
): Promise<ApiError | null> {
  for (const window of [createRequestWindow(pool, name, limit), everyRequest(pool)]) {
    const refusal = await window.wouldRefuse(address, ...asked);
    if (refusal !== null) return refusal;
  }
  return null;
}
