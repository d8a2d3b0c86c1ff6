import type { Tier } from './operations/operation.ts';

export interface TierBudget {
  readonly capacity: number;
  readonly refillPerMinute: number;
}

/**
 * The token buckets of each token and tier, and of each issuing user, guild and tier (spec §8; decisions: Request
 * pipeline).
 */
export const TIERS: Readonly<Record<Tier, TierBudget>> = {
  read: { capacity: 120, refillPerMinute: 60 },
  reversible_write: { capacity: 30, refillPerMinute: 10 },
  destructive_write: { capacity: 6, refillPerMinute: 1 },
};

/** A bucket as it is stored: its balance, and when it had that balance, in Unix milliseconds. */
export interface Bucket {
  readonly balance: number;
  readonly atMs: number;
}

/** Both buckets after the call, and whether they paid for it. */
export type Spent = { readonly token: Bucket; readonly user: Bucket } & (
  | { readonly ok: true }
  | { readonly ok: false; readonly refusedBy: 'token' | 'user'; readonly retryAfterSeconds: number }
);

const MS_PER_MINUTE = 60_000;

/** Refills are fractions, so a balance this close below a whole call counts as a whole call. */
const ROUNDING = 1e-9;

export function fullBucket(tier: Tier, nowMs: number): Bucket {
  return { balance: TIERS[tier].capacity, atMs: nowMs };
}

/** The balance of a bucket at `nowMs`, from 0 to its capacity. If the clock went back, nothing is refilled. */
export function balanceAt(tier: Tier, bucket: Bucket, nowMs: number): number {
  const { capacity, refillPerMinute } = TIERS[tier];
  const refill = (Math.max(0, nowMs - bucket.atMs) * refillPerMinute) / MS_PER_MINUTE;
  return Math.min(capacity, Math.max(0, bucket.balance) + refill);
}

/** How many whole calls a bucket can pay for at `nowMs`. */
export function remainingAt(tier: Tier, bucket: Bucket, nowMs: number): number {
  return Math.floor(balanceAt(tier, bucket, nowMs) + ROUNDING);
}

/**
 * Charges one call to both budgets, or to neither (spec §8.1). A refusal names the budget that takes longer to refill;
 * after `retryAfterSeconds` both can pay, if nothing else is charged. The SQL function `spend_budgets` has the same
 * rule. If the clock went back, a bucket refills from the new time on, so that it does not stay empty until the clock
 * has caught up (hazards H10).
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
 * `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-10) for both budgets: the policies are
 * `token` and `user`, the quota is in calls, the window is the number of seconds in which an empty bucket fills, and
 * `t` is the number of seconds until it is full. `tier` is a parameter of our own, as the draft allows: it says which of
 * the three budgets these are.
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
          `"${name}";r=${Math.floor(balance + ROUNDING)};t=${Math.max(0, seconds(capacity - balance))};tier="${tier}"`,
      )
      .join(', '),
    rateLimitPolicy: policies
      .map(({ name }) => `"${name}";q=${capacity};w=${seconds(capacity)};tier="${tier}"`)
      .join(', '),
  };
}

/** Milliseconds until a bucket can pay for a call; 0 if it can now. */
function waitForOne(tier: Tier, { balance }: Bucket): number {
  const missing = 1 - balance;
  return missing <= ROUNDING ? 0 : (missing * MS_PER_MINUTE) / TIERS[tier].refillPerMinute;
}

/** The bucket with its balance at `nowMs`. */
function bucketAt(tier: Tier, bucket: Bucket, nowMs: number): Bucket {
  return { balance: balanceAt(tier, bucket, nowMs), atMs: nowMs };
}

function spendOne({ balance, atMs }: Bucket): Bucket {
  return { balance: Math.max(0, balance - 1), atMs };
}
