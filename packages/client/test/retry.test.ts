import { verifies } from '@bailiff/core/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { waitMs } from '#src/retry.ts';

test('waits are 1 s, doubling, with a fifth on top by chance at most, and never more than 30 s', () => {
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
  expect(waitMs(3, undefined, 1)).toBe(4_800);
});

test('Retry-After is waited for exactly', () => {
  expect(waitMs(5, 7, 0.9)).toBe(7_000);
});
