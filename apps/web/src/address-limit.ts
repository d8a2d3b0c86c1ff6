import { type ApiError, countedAddress } from '@bailiff/core';
import type { Count } from '@bailiff/engine/calls/count-requests';
import type { Counting } from '@bailiff/engine/calls/read-batch';
import { perOwner } from '@bailiff/engine/database/coalesce';
import type { Database } from '@bailiff/prisma';
import { createRequestWindow } from './request-window.ts';

export interface Limit {
  readonly requests: number;
  readonly windowSeconds: number;
}

/** The limit of requests per address on the public API (spec §8). */
export const PUBLIC_LIMIT: Limit = { requests: 600, windowSeconds: 300 };

/** The limit for requests to /api/*, per session or, without one, per address (spec §8). */
const EVERY_REQUEST: Limit = { requests: 600, windowSeconds: 60 };

type Pool = Database['pool'];

export const everyRequest = perOwner((pool: Pool) => createRequestWindow(pool, 'api', EVERY_REQUEST));

/**
 * The limit of an address on one path, which also counts for /api/* as a whole. An IPv6 address shares both windows with
 * its /64. An address that is known to exceed one of them costs no query.
 */
export interface AddressLimit {
  /**
   * Counts a request and returns how many are left on the path.
   *
   * @param send sends a statement that counts the request besides other work. It is not called if the address is known
   *   to have none left. Without it, or if it counts nothing, the request is counted in a statement of
   *   its own.
   * @throws ApiError RATE_LIMITED if either window is used up.
   */
  count(
    address: string,
    send?: (counting: Counting) => Promise<readonly Count[]> | undefined,
  ): Promise<number>;
  /** The error that the next request would get, without counting one; null if it would be allowed. */
  refusalOf(address: string): Promise<ApiError | null>;
}

const asked = ['ip', 'requests from your address'] as const;

/** @param name the name of the path's window */
export function createAddressLimit(pool: Pool, name: string, limit: Limit): AddressLimit {
  const windows = [createRequestWindow(pool, name, limit), everyRequest(pool)] as const;
  return {
    async count(address, send) {
      const key = countedAddress(address);
      for (const window of windows) window.refuseUsedUp(key, ...asked);
      const counts = send?.({ countedUnder: key, windows });
      const [left] = await Promise.all(
        windows.map((window, index) => window.count(key, ...asked, counts && countAt(counts, index))),
      );
      return left ?? 0;
    },
    async refusalOf(address) {
      for (const window of windows) {
        const refusal = await window.wouldRefuse(countedAddress(address), ...asked);
        if (refusal !== null) return refusal;
      }
      return null;
    },
  };
}

async function countAt(counts: Promise<readonly Count[]>, index: number): Promise<Count> {
  const count = (await counts)[index];
  if (count === undefined) throw new Error('A request was not counted in one of its windows');
  return count;
}

/** The limit of the public API. */
export const publicLimit = perOwner((pool: Pool) => createAddressLimit(pool, 'public', PUBLIC_LIMIT));

/** Counts a request to /api/* that has no limit of its own: for its session or, without one, for its address. */
export async function countRequest(
  pool: Pool,
  { session, address }: { readonly session: string | undefined; readonly address: string },
): Promise<void> {
  const window = everyRequest(pool);
  if (session === undefined) await window.count(countedAddress(address), ...asked);
  else await window.count(`session:${session}`, 'session', 'requests of this session');
}
