import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Bucket,
  balanceAt,
  fullBucket,
  rateLimitFields,
  remainingAt,
  spendBoth,
  TIERS,
  type Tier,
} from '#src/index.ts';
import { verifies } from '#src/testing.ts';

const NOW = Date.UTC(2026, 0, 31);
const MINUTE = 60_000;
const tiers = Object.keys(TIERS) as Tier[];

test('the tiers are those of the specification', () => {
  expect(TIERS).toEqual({
    read: { capacity: 120, refillPerMinute: 60 },
    reversible_write: { capacity: 30, refillPerMinute: 10 },
    destructive_write: { capacity: 6, refillPerMinute: 1 },
  });
});

test.each(tiers)('a full %s bucket pays its capacity in one instant, and not one call more', (tier) => {
  let token = fullBucket(tier, NOW);
  let user = fullBucket(tier, NOW);
  for (let call = 0; call < TIERS[tier].capacity; call += 1) {
    const spent = spendBoth(tier, token, user, NOW);
    if (!spent.ok) throw new Error(`Call ${call} was refused.`);
    ({ token, user } = spent);
  }
  expect(remainingAt(tier, token, NOW)).toBe(0);
  expect(spendBoth(tier, token, user, NOW)).toEqual({
    ok: false,
    refusedBy: 'token',
    retryAfterSeconds: 60 / TIERS[tier].refillPerMinute,
    token,
    user,
  });
});

test.each(tiers)('an empty %s bucket refills by its rate, never above its capacity', (tier) => {
  const { capacity, refillPerMinute } = TIERS[tier];
  const empty = { balance: 0, atMs: NOW };
  expect(balanceAt(tier, empty, NOW + MINUTE)).toBe(refillPerMinute);
  expect(balanceAt(tier, empty, NOW + 1000 * MINUTE)).toBe(capacity);
});

test('the budget that cannot pay is named, and neither is charged', () => {
  const full = fullBucket('destructive_write', NOW);
  const empty = { balance: 0, atMs: NOW };
  expect(spendBoth('destructive_write', full, empty, NOW)).toEqual({
    ok: false,
    refusedBy: 'user',
    retryAfterSeconds: 60,
    token: full,
    user: empty,
  });
  expect(spendBoth('destructive_write', empty, full, NOW)).toMatchObject({ refusedBy: 'token' });
  const later = { balance: 0, atMs: NOW - 30_000 };
  expect(spendBoth('destructive_write', later, empty, NOW)).toMatchObject({
    refusedBy: 'user',
    retryAfterSeconds: 60,
  });
});

test('a clock that goes back refills nothing and takes nothing, and freezes nothing', () => {
  verifies('H10');
  const bucket = { balance: 3, atMs: NOW };
  expect(balanceAt('read', bucket, NOW - MINUTE)).toBe(3);
  const spent = spendBoth('read', bucket, bucket, NOW - MINUTE);
  expect(spent).toMatchObject({ ok: true, token: { balance: 2, atMs: NOW - MINUTE } });
  const empty = { balance: 0, atMs: NOW };
  const refused = spendBoth('read', empty, empty, NOW - 60 * MINUTE);
  expect(refused).toMatchObject({ ok: false, retryAfterSeconds: 1 });
  expect(spendBoth('read', refused.token, refused.user, NOW - 60 * MINUTE + 1000).ok).toBe(true);
});

test('a stored balance out of bounds is read within them', () => {
  expect(balanceAt('read', { balance: -5, atMs: NOW }, NOW)).toBe(0);
  expect(balanceAt('read', { balance: 1e9, atMs: NOW }, NOW)).toBe(120);
});

const steps = fc.array(
  fc.record({ advanceMs: fc.integer({ min: -90_000, max: 90_000 }), whose: fc.constantFrom('a', 'b') }),
  {
    maxLength: 200,
  },
);

test('over any calls and any clock, balances stay within bounds, refusals cost nothing and waiting helps', () => {
  fc.assert(
    fc.property(fc.constantFrom(...tiers), steps, (tier, calls) => {
      const { capacity, refillPerMinute } = TIERS[tier];
      let nowMs = NOW;
      let forwardMs = 0;
      let user = fullBucket(tier, NOW);
      const tokens: Record<string, Bucket> = { a: fullBucket(tier, NOW), b: fullBucket(tier, NOW) };
      let admitted = 0;
      for (const { advanceMs, whose } of calls) {
        nowMs += advanceMs;
        forwardMs += Math.max(0, advanceMs);
        const token = tokens[whose] ?? user;
        const before = [balanceAt(tier, token, nowMs), balanceAt(tier, user, nowMs)] as const;
        const spent = spendBoth(tier, token, user, nowMs);
        if (spent.ok) {
          admitted += 1;
          expect(balanceAt(tier, spent.token, nowMs)).toBeCloseTo(before[0] - 1, 6);
          expect(balanceAt(tier, spent.user, nowMs)).toBeCloseTo(before[1] - 1, 6);
        } else {
          expect(Math.min(...before)).toBeLessThan(1);
          expect(spent.retryAfterSeconds).toBeGreaterThanOrEqual(1);
          expect(Number.isInteger(spent.retryAfterSeconds)).toBe(true);
          const laterMs = nowMs + spent.retryAfterSeconds * 1000;
          expect(spendBoth(tier, spent.token, spent.user, laterMs).ok).toBe(true);
        }
        tokens[whose] = spent.token;
        user = spent.user;
        for (const bucket of [user, ...Object.values(tokens)]) {
          const balance = balanceAt(tier, bucket, nowMs);
          expect(balance).toBeGreaterThanOrEqual(0);
          expect(balance).toBeLessThanOrEqual(capacity);
        }
      }
      // Only time that moved forward has refilled anything.
      expect(admitted).toBeLessThanOrEqual(capacity + (forwardMs * refillPerMinute) / MINUTE + 1e-6);
    }),
    { numRuns: 500 },
  );
});

test('the fields name both budgets, quotas, windows and what is left', () => {
  expect(rateLimitFields('read', { token: 119, user: 60.5 })).toEqual({
    rateLimit: '"token";r=119;t=1;tier="read", "user";r=60;t=60;tier="read"',
    rateLimitPolicy: '"token";q=120;w=120;tier="read", "user";q=120;w=120;tier="read"',
  });
  expect(rateLimitFields('destructive_write', { token: 6, user: 0 })).toEqual({
    rateLimit: '"token";r=6;t=0;tier="destructive_write", "user";r=0;t=360;tier="destructive_write"',
    rateLimitPolicy: '"token";q=6;w=360;tier="destructive_write", "user";q=6;w=360;tier="destructive_write"',
  });
});

test('the fields are lists of strings with integer parameters (RFC 9651)', () => {
  const balance = fc.double({ min: 0, max: 6, noNaN: true });
  fc.assert(
    fc.property(balance, balance, (token, user) => {
      const { rateLimit, rateLimitPolicy } = rateLimitFields('destructive_write', { token, user });
      const tier = ';tier="destructive_write"';
      expect(rateLimit.replaceAll(tier, '')).toMatch(/^"token";r=\d+;t=\d+, "user";r=\d+;t=\d+$/);
      expect(rateLimitPolicy.replaceAll(tier, '')).toMatch(/^"token";q=\d+;w=\d+, "user";q=\d+;w=\d+$/);
    }),
  );
});
