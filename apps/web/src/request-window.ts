import { ApiError } from '@bailiff/core';
import {
  COUNTED,
  COUNTING,
  type Count,
  type CountedRequest,
  countingOf,
  countsInTurn,
} from '@bailiff/engine/calls/count-requests';
import type { AddressWindow } from '@bailiff/engine/calls/read-batch';
import { coalesce, perOwner } from '@bailiff/engine/database/coalesce';
import { type Database, sql } from '@bailiff/prisma';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';

/** What requests are counted per, as `details.scope` names it (decisions: Errors). */
type Scope = 'ip' | 'session';

export interface RequestWindow extends AddressWindow {
  /**
   * Counts one request of `key` and returns how many are left.
   *
   * @param counted what another statement has counted. Without it, this counts in a statement of its own.
   * @throws ApiError RATE_LIMITED if the window is used up.
   */
  count(key: string, scope: Scope, what: string, counted?: Promise<Count>): Promise<number>;
  /** Throws as `count` does if `key` is known to exceed its limit. It sends no query and counts nothing. */
  refuseUsedUp(key: string, scope: Scope, what: string): void;
  /** The error that the next `count` would throw, without counting; null if it would not. */
  wouldRefuse(key: string, scope: Scope, what: string): Promise<ApiError | null>;
}

type Pool = Database['pool'];

/**
 * A sliding window of requests that all web processes share through PostgreSQL (spec §8). A key over its limit is
 * refused from memory, without a query. The library deletes windows that ended an hour ago.
 */
export function createRequestWindow(
  pool: Pool,
  name: string,
  { requests, windowSeconds }: { readonly requests: number; readonly windowSeconds: number },
): RequestWindow {
  const limiter = new SharedLimiter({
    storeClient: pool,
    tableName: 'rate_limits',
    tableCreated: true,
    keyPrefix: name,
    points: requests,
    duration: windowSeconds,
    inMemoryBlockOnConsumed: requests + 1,
  });
  const usedUp = (waitMs: number, scope: Scope, what: string) => {
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
    return new ApiError('RATE_LIMITED', `Too many ${what}. Try again in ${retryAfterSeconds} s.`, {
      details: { scope, retry_after_seconds: retryAfterSeconds },
    });
  };
  return {
    name,
    requests,
    windowSeconds,
    async count(key, scope, what, counted) {
      try {
        return (await limiter.consume(key, 1, { counted })).remainingPoints;
      } catch (refused) {
        throw refused instanceof RateLimiterRes ? usedUp(refused.msBeforeNext, scope, what) : refused;
      }
    },
    refuseUsedUp(key, scope, what) {
      const waitMs = limiter.blockedForMs(key);
      if (waitMs > 0) throw usedUp(waitMs, scope, what);
    },
    async wouldRefuse(key, scope, what) {
      const counted = await limiter.get(key);
      return counted === null || counted.remainingPoints > 0
        ? null
        : usedUp(counted.msBeforeNext, scope, what);
    },
  };
}

/** The library hands on the options of a count. */
interface Counting {
  readonly counted?: Promise<Count> | undefined;
}

/** Counts requests that arrive at the same time in one statement, whatever their windows. */
const counters = perOwner((pool: Pool) =>
  coalesce((requests: readonly CountedRequest[]) => countAll(pool, requests)),
);

/** The library's limiter with our way to count: many keys at a time, in windows that slide by the database's clock. */
class SharedLimiter extends RateLimiterPostgres {
  readonly #pool: Pool;

  constructor(options: ConstructorParameters<typeof RateLimiterPostgres>[0] & { storeClient: Pool }) {
    super(options);
    this.#pool = options.storeClient;
  }

  blockedForMs(key: string): number {
    const limiter = this as unknown as { getInMemoryBlockMsBeforeExpire(key: string): number };
    return limiter.getInMemoryBlockMsBeforeExpire(this.getKey(key));
  }

  /** The method that the library calls to count. */
  async _upsert(key: string, points: number, windowMs: number, _force: boolean, { counted }: Counting) {
    return rowsOf(await (counted ?? counters(this.#pool)({ key, points, most: this.points, windowMs })));
  }

  /** The method that the library calls to read without counting. */
  async _get(key: string) {
    const row = await countedRequests.first(this.#pool, [key, this.duration * 1000]);
    return row === null ? null : rowsOf({ points: row.points, msLeft: row.ms_left });
  }
}

/** The result of a query as the library reads it. */
const rowsOf = ({ points, msLeft }: Count) => ({ rows: [{ points, expire: Date.now() + msLeft }] });

const countRequests = sql.statement({
  parameters: COUNTING,
  columns: COUNTED,
  text: 'SELECT key, points, ms_left FROM count_requests($1, $2, $3, $4)',
});

const countedRequests = sql.statement({
  parameters: [sql.text, sql.bigint],
  columns: { points: sql.int, ms_left: sql.float },
  text: `WITH clock AS (SELECT floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint AS now_ms)
  SELECT slid.points, (new_ends[1] - now_ms + $2)::float8 AS ms_left
  FROM rate_limits, clock, slide_window(slot_ends, slot_points, now_ms, 0, 0, $2) AS slid WHERE key = $1`,
});

async function countAll(pool: Pool, requests: readonly CountedRequest[]): Promise<Count[]> {
  return countsInTurn(requests, await countRequests.all(pool, countingOf(requests)));
}
