import type { ApiError } from '@bailiff/core';
import { perOwner } from '@bailiff/engine/database/coalesce';
import type { Database } from '@bailiff/prisma';
import { createRequestWindow } from './request-window.ts';

export interface Limit {
  readonly requests: number;
  readonly windowSeconds: number;
}

/** Requests to /api/* of a session or, without one, of an address (spec §8). */
const EVERY_REQUEST: Limit = { requests: 600, windowSeconds: 60 };

type Pool = Database['pool'];

export const everyRequest = perOwner((pool: Pool) => createRequestWindow(pool, 'api', EVERY_REQUEST));

/**
 * Counts a request of an address, in the window of its path and in that of /api/* at large, and returns how many the
 * path's has left. An address that is known to be over either costs no query.
 *
 * @throws ApiError RATE_LIMITED when either is used up.
 */
export type AddressLimit = (address: string) => Promise<number>;

const asked = ['ip', 'requests from your address'] as const;

/** @param name of the path's window */
export function createAddressLimit(pool: Pool, name: string, limit: Limit): AddressLimit {
  const windows = [createRequestWindow(pool, name, limit), everyRequest(pool)] as const;
  return async (address) => {
    for (const window of windows) window.refuseUsedUp(address, ...asked);
    const [left] = await Promise.all(windows.map((window) => window.count(address, ...asked)));
    return left ?? 0;
  };
}

/** What the next request of an address would be refused with, without counting one; null when it would not be. */
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
