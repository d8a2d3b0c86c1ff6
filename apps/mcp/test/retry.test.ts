import { verifies } from '@bailiff/core/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Reply } from '#src/api.ts';
import { envelopeOf } from '#src/errors.ts';
import { type Clock, waitMs, withRetries } from '#src/retry.ts';

const never = new AbortController().signal;

/** A clock that moves only when the code waits. */
function clockOf(random = 0): Clock & { readonly waits: number[] } {
  const waits: number[] = [];
  return {
    waits,
    now: () => waits.reduce((sum, ms) => sum + ms, 0),
    random: () => random,
    wait: async (ms) => void waits.push(ms),
  };
}

const failed = (retryAfterSeconds?: number): Reply => ({
  ok: false,
  envelope: envelopeOf('UPSTREAM_UNAVAILABLE', 'It is away.'),
  ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
});

test('waits are 1 s, doubling, 30 s at most, with a little chance on top', () => {
  verifies('mcp.retry.backoff');
  expect([1, 2, 3, 4, 5, 6, 7, 50].map((failures) => waitMs(failures, undefined, 0))).toEqual([
    1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000,
  ]);
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 60 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (failures, random) => {
        const least = waitMs(failures, undefined, 0);
        const ms = waitMs(failures, undefined, random);
        expect(ms).toBeGreaterThanOrEqual(least);
        expect(ms).toBeLessThanOrEqual(Math.min(least * 1.2, 30_000));
      },
    ),
  );
  // The chance is there, and small.
  expect(waitMs(1, undefined, 1)).toBe(1_200);
  expect(waitMs(6, undefined, 1)).toBe(30_000);
});

test('Retry-After is waited for exactly', () => {
  verifies('mcp.retry.retryable');
  expect(waitMs(5, 7, 0.9)).toBe(7_000);
});

test('no attempt begins after the bound, and the last answer is given', async () => {
  const clock = clockOf();
  let attempts = 0;
  const reply = await withRetries(async () => failed(++attempts), clock, never);
  expect(clock.waits).toEqual([1_000, 2_000, 3_000, 4_000, 5_000, 6_000, 7_000, 8_000]);
  expect(reply).toMatchObject({ ok: false, retryAfterSeconds: 9 });

  const backingOff = clockOf(1);
  await withRetries(async () => failed(), backingOff, never);
  expect(backingOff.waits).toEqual([1_200, 2_400, 4_800, 9_600, 19_200]);
});

test('a success ends it', async () => {
  const clock = clockOf();
  const replies: Reply[] = [failed(), { ok: true, body: {} }];
  expect(await withRetries(async () => replies.shift() ?? failed(), clock, never)).toEqual({
    ok: true,
    body: {},
  });
  expect(clock.waits).toEqual([1_000]);
});
