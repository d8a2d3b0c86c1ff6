import { parseDuration } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CATALOGUES, LOCALES, lengthIn } from '#src/index.ts';
import { roughLengthIn } from '#src/lengths.ts';

test('what is said for a length is understood as that length, in every language', () => {
  verifies('durations.said');
  const unit = fc.constantFrom(1, 60, 3_600, 86_400, 604_800);
  const seconds = fc.tuple(fc.integer({ min: 1, max: 20_000 }), unit).map(([amount, size]) => amount * size);
  fc.assert(
    fc.property(fc.constantFrom(...LOCALES), seconds, (locale, length) => {
      const said = lengthIn(locale, length);
      expect([locale, said, parseDuration(said)]).toEqual([locale, said, length]);
    }),
  );
});

test('"permanent" is understood as each language says it', () => {
  verifies('durations.said');
  for (const locale of LOCALES) {
    expect([locale, parseDuration(CATALOGUES[locale].notices.log.permanent)]).toEqual([locale, null]);
    expect([locale, parseDuration(CATALOGUES[locale].common.permanent)]).toEqual([locale, null]);
  }
});

test.each([
  [1, '1 second'],
  [119, '119 seconds'],
  [120, '2 minutes'],
  [5_700, '95 minutes'],
  [7_199, '2 hours'],
  [7_200, '2 hours'],
  [90_000, '25 hours'],
  [172_800, '2 days'],
  [216_000, '3 days'],
])('%i seconds are about %s', (seconds, said) => {
  expect(roughLengthIn('en', seconds)).toBe(said);
});
