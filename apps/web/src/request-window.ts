import { ApiError } from '@bailiff/core';
import { coalesce, perOwner } from '@bailiff/engine/database/coalesce';
import { type Database, sql } from '@bailiff/prisma';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';

/** Of whom requests are counted, as `details.scope` names it (decisions: Errors). */
type Scope = 'ip' | 'session';

export interface RequestWindow {
  /**
   * Counts one request of `key` and returns how many are left.
   *
   * @throws ApiError RATE_LIMITED when the window is used up.
   */
  count(key: string, scope: Scope, what: string): Promise<number>;
  /** Throws as `count` does for a key that is known to be over its limit; costs no query and counts nothing. */
  refuseUsedUp(key: string, scope: Scope, what: string): void;
  /** What the next `count` would throw, without counting; null when it would not. */
  wouldRefuse(key: string, scope: Scope, what: string): Promise<ApiError | null>;
}

type Pool = Database['pool'];

/**
 * A window of requests, shared by all web processes through PostgreSQL (spec §8). A key that is over the limit is refused
 * from memory and costs no query. Windows that ended an hour ago are dropped by the library.
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
  readonly durationMs: number;
}

interface Count {
  readonly points: number;
  /** Milliseconds until the window ends. */
  readonly msLeft: number;
}

/** What is counted at the same time, in whichever windows, is one statement. */
const counters = perOwner((pool: Pool) => coalesce((counted: readonly Counted[]) => countAll(pool, counted)));

/** The library's limiter with another way to count: many at a time, and by the database's clock. */
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

  /** What the library calls to count. */
  async _upsert(key: string, points: number, durationMs: number) {
    const count = await counters(this.#pool)({ key, points, durationMs });
    return { rows: [{ points: count.points, expire: Date.now() + count.msLeft }] };
  }
}

/** In the order of their keys, so that two processes that count the same keys do not wait for each other in a circle. */
const countRequests = sql.statement({
  parameters: [sql.arrayOf(sql.text), sql.arrayOf(sql.int), sql.arrayOf(sql.bigint)],
  columns: { key: sql.text, points: sql.int, ms_left: sql.float },
  text: `WITH clock AS (SELECT floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint AS now_ms)
  INSERT INTO rate_limits AS kept (key, points, expire)
  SELECT key, points, now_ms + duration_ms
  FROM unnest($1::text[], $2::int[], $3::bigint[]) AS counted (key, points, duration_ms), clock
  ORDER BY key
  ON CONFLICT (key) DO UPDATE SET
    points = excluded.points + CASE WHEN kept.expire > (TABLE clock) THEN kept.points ELSE 0 END,
    expire = CASE WHEN kept.expire > (TABLE clock) THEN kept.expire ELSE excluded.expire END
  RETURNING key, points, (expire - (TABLE clock))::float8 AS ms_left`,
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
    together.map(({ durationMs }) => durationMs),
  ]);
  const after = new Map(rows.map((row) => [row.key, row]));
  // Each is told what the window held when it was counted itself: the last of a key what is in the row.
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
