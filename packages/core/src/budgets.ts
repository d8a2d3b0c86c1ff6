import type { Tier } from './operations/operation.ts';

export interface TierBudget {
  readonly capacity: number;
  readonly refillPerMinute: number;
}

/** Token buckets per token and tier, and the same per issuing user and guild (spec §8; decisions: Request pipeline). */
export const TIERS: Readonly<Record<Tier, TierBudget>> = {
  read: { capacity: 120, refillPerMinute: 60 },
  reversible_write: { capacity: 30, refillPerMinute: 10 },
  destructive_write: { capacity: 6, refillPerMinute: 1 },
};

/** A bucket as it is stored: what was in it at a point in time, in milliseconds. */
export interface Bucket {
  readonly balance: number;
  readonly atMs: number;
}

/** Both buckets as they are afterwards, and whether they paid. */
export type Spent = { readonly token: Bucket; readonly user: Bucket } & (
  | { readonly ok: true }
  | { readonly ok: false; readonly refusedBy: 'token' | 'user'; readonly retryAfterSeconds: number }
);

const MS_PER_MINUTE = 60_000;

/** Refills are fractions: a balance this little under a whole call counts as one. */
const ROUNDING = 1e-9;

export function fullBucket(tier: Tier, nowMs: number): Bucket {
  return { balance: TIERS[tier].capacity, atMs: nowMs };
}

/** What a bucket holds at `nowMs`: never below 0 nor above its capacity. A clock that went back refills nothing. */
export function balanceAt(tier: Tier, bucket: Bucket, nowMs: number): number {
  const { capacity, refillPerMinute } = TIERS[tier];
  const refill = (Math.max(0, nowMs - bucket.atMs) * refillPerMinute) / MS_PER_MINUTE;
  return Math.min(capacity, Math.max(0, bucket.balance) + refill);
}

/** Whole calls a bucket can pay at `nowMs`. */
export function remainingAt(tier: Tier, bucket: Bucket, nowMs: number): number {
  return Math.floor(balanceAt(tier, bucket, nowMs) + ROUNDING);
}

/**
 * Pays one call out of both budgets, or out of neither (spec §8.1). On a refusal, the one named is the one to wait
 * for longer; after `retryAfterSeconds` both can pay, if nothing else spends. This is the model of the database's
 * function: after a clock that went back, a bucket refills from then on, instead of not until the clock is back where it
 * was (hazards H10).
 */
export function spendBoth(tier: Tier, token: Bucket, user: Bucket, nowMs: number): Spent {
  const seen = { token: bucketAt(tier, token, nowMs), user: bucketAt(tier, user, nowMs) };
  const waitMs = { token: waitForOne(tier, seen.token), user: waitForOne(tier, seen.user) };
  const longest = Math.max(waitMs.token, waitMs.user);
  if (longest > 0) {
    return {
      ok: false,
      refusedBy: waitMs.token === longest ? 'token' : 'user',
      retryAfterSeconds: Math.max(1, Math.ceil(longest / 1000)),
      ...seen,
    };
  }
  return { ok: true, token: spendOne(seen.token), user: spendOne(seen.user) };
}

/**
 * `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-10) for what both budgets hold: policies
 * `token` and `user`, quota in calls, window the seconds in which an empty bucket fills, `t` the seconds until it is full.
 */
export function rateLimitFields(
  tier: Tier,
  balances: { readonly token: number; readonly user: number },
): { readonly rateLimit: string; readonly rateLimitPolicy: string } {
  const { capacity, refillPerMinute } = TIERS[tier];
  const seconds = (calls: number) => Math.ceil(((calls - ROUNDING) * 60) / refillPerMinute);
  const policies = (['token', 'user'] as const).map((name) => ({ name, balance: balances[name] }));
  return {
    rateLimit: policies
      .map(
        ({ name, balance }) =>
          `"${name}";r=${Math.floor(balance + ROUNDING)};t=${Math.max(0, seconds(capacity - balance))}`,
      )
      .join(', '),
    rateLimitPolicy: policies.map(({ name }) => `"${name}";q=${capacity};w=${seconds(capacity)}`).join(', '),
  };
}

/** Milliseconds until a bucket can pay a call; 0 if it can now. */
function waitForOne(tier: Tier, { balance }: Bucket): number {
  const missing = 1 - balance;
  return missing <= ROUNDING ? 0 : (missing * MS_PER_MINUTE) / TIERS[tier].refillPerMinute;
}

/** The same bucket, as of `nowMs`. */
function bucketAt(tier: Tier, bucket: Bucket, nowMs: number): Bucket {
  return { balance: balanceAt(tier, bucket, nowMs), atMs: nowMs };
}

function spendOne({ balance, atMs }: Bucket): Bucket {
  return { balance: Math.max(0, balance - 1), atMs };
}
