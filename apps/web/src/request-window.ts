import { ApiError } from '@bailiff/core';
import { coalesce, perOwner } from '@bailiff/engine/database/coalesce';
import { type Database, sql } from '@bailiff/prisma';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';

/** What requests are counted per, as `details.scope` names it (decisions: Errors). */
type Scope = 'ip' | 'session';

export interface RequestWindow {
  /**
   * Counts one request of `key` and returns how many are left.
   *
   * @throws ApiError RATE_LIMITED if the window is used up.
   */
  count(key: string, scope: Scope, what: string): Promise<number>;
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
    async count(key, scope, what) {
      try {
        return (await limiter.consume(key)).remainingPoints;
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

interface Counted {
  readonly key: string;
  readonly points: number;
  /** How many points the window admits. */
  readonly most: number;
  readonly durationMs: number;
}

interface Count {
  /** The points in the window, with those of this request, admitted or not. */
  readonly points: number;
  /** The milliseconds until the oldest requests no longer count. */
  readonly msLeft: number;
}

/** Counts requests that arrive at the same time in one statement, whatever their windows. */
const counters = perOwner((pool: Pool) => coalesce((counted: readonly Counted[]) => countAll(pool, counted)));

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
  async _upsert(key: string, points: number, durationMs: number) {
    return rowsOf(await counters(this.#pool)({ key, points, most: this.points, durationMs }));
  }

  /** The method that the library calls to read without counting. */
  async _get(key: string) {
    const row = await countedRequests.first(this.#pool, [key, this.duration * 1000]);
    return row === null ? null : rowsOf({ points: row.points, msLeft: row.ms_left });
  }
}

/** The result of a query as the library reads it. */
const rowsOf = ({ points, msLeft }: Count) => ({ rows: [{ points, expire: Date.now() + msLeft }] });

const CLOCK = 'clock AS (SELECT floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint AS now_ms)';

/** The statement sorts the keys, so that two processes that count the same keys cannot deadlock. */
const countRequests = sql.statement({
  parameters: [sql.arrayOf(sql.text), sql.arrayOf(sql.int), sql.arrayOf(sql.int), sql.arrayOf(sql.bigint)],
  columns: { key: sql.text, points: sql.int, ms_left: sql.float },
  text: `WITH ${CLOCK}, counted AS (
    SELECT * FROM unnest($1::text[], $2::int[], $3::int[], $4::bigint[]) AS counted (key, wanted, most, window_ms), clock)
  INSERT INTO rate_limits AS kept (key, points, expire, slot_ends, slot_points)
  SELECT key, points, now_ms + window_ms, new_ends, new_points
  FROM counted, slide_window('{}', '{}', now_ms, wanted, most, window_ms)
  ORDER BY key
  ON CONFLICT (key) DO UPDATE SET (points, expire, slot_ends, slot_points) = (
    SELECT slid.points, now_ms + window_ms, new_ends, new_points
    FROM counted, slide_window(kept.slot_ends, kept.slot_points, now_ms, wanted, most, window_ms) AS slid
    WHERE counted.key = kept.key)
  RETURNING key, points,
    (slot_ends[1] - (TABLE clock) + (SELECT window_ms FROM counted WHERE counted.key = kept.key))::float8 AS ms_left`,
});

const countedRequests = sql.statement({
  parameters: [sql.text, sql.bigint],
  columns: { points: sql.int, ms_left: sql.float },
  text: `WITH ${CLOCK}
  SELECT slid.points, (new_ends[1] - now_ms + $2)::float8 AS ms_left
  FROM rate_limits, clock, slide_window(slot_ends, slot_points, now_ms, 0, 0, $2) AS slid WHERE key = $1`,
});

async function countAll(pool: Pool, counted: readonly Counted[]): Promise<Count[]> {
  const byKey = new Map<string, Counted>();
  for (const each of counted) {
    byKey.set(each.key, { ...each, points: each.points + (byKey.get(each.key)?.points ?? 0) });
  }
  const together = [...byKey.values()];
  const rows = await countRequests.all(pool, [
    together.map(({ key }) => key),
    together.map(({ points }) => points),
    together.map(({ most }) => most),
    together.map(({ durationMs }) => durationMs),
  ]);
  const after = new Map(rows.map((row) => [row.key, row]));
  // Each request gets the count at its own turn; the last one of a key gets the number in the row.
  return counted
    .toReversed()
    .map(({ key, points }) => {
      const row = after.get(key);
      if (row === undefined) throw new Error('A counted request has no row');
      const count = { points: row.points, msLeft: row.ms_left };
      row.points -= points;
      return count;
    })
    .toReversed();
}
