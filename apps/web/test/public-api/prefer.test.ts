// How long a caller may ask an answer to wait (RFC 7240).
import { expect, test } from 'vitest';
import { preferredDecisionSeconds, preferredWaitMs } from '#src/public-api/prefer.ts';

test.each([
  [null, undefined],
  ['', undefined],
  ['wait=0', 0],
  ['wait=5', 5_000],
  ['wait=8', 8_000],
  ['wait=9', 8_000],
  ['wait=9999', 8_000],
  ['wait=99999', undefined],
  ['respond-async, WAIT = 3; x=1', 3_000],
  ['wait="4"', 4_000],
  ['note="a, wait=7", wait=2', 2_000],
  ['wait=1, wait=6', 1_000],
  ['wait=soon, wait=6', undefined],
  ['wait=-1', undefined],
  // What stands behind a quotation mark that is never closed belongs to the quotation.
  ['wait="4', undefined],
  ['note="a, wait=7', undefined],
  ['wait=2, note="a', 2_000],
  ['wait=2, note="a\\', 2_000],
])('%j lets a long action wait for %j ms', (header, ms) => {
  expect(preferredWaitMs(header)).toBe(ms);
});

test.each([
  ['wait=0', undefined],
  ['wait=1', 1],
  ['wait=60', 60],
  ['wait=61', undefined],
  [null, undefined],
])('%j lets an answer wait for a decision for %j s', (header, seconds) => {
  expect(preferredDecisionSeconds(header)).toBe(seconds);
});

test('a preference that quotes and never ends is read in one go', () => {
  // Read again from each quotation mark, this would take minutes.
  const endless = `"${'\\"'.repeat(300_000)}`;
  expect(preferredWaitMs(endless)).toBeUndefined();
  expect(preferredWaitMs(`${endless}\\`)).toBeUndefined();
  expect(preferredWaitMs(`wait=3, note=${endless}`)).toBe(3_000);
});
