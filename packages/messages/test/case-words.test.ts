import { verifies } from '@bailiff/core/testing';
import { expect, test } from 'vitest';
import { LOCALES, sayToTarget } from '#src/index.ts';

test('who is softbanned is told that they may join again, and of no end', () => {
  verifies('softbans.add');
  const softban = { kind: 'softban', severity: null, durationMinutes: 0, date: '<t:1:f>' } as const;
  expect(sayToTarget('en', 'Harbourlight', softban)).toEqual({
    what: 'You were removed from **Harbourlight**, and your latest messages were deleted.',
    ending: 'You may join again.',
  });
  for (const locale of LOCALES) {
    const { what, ending } = sayToTarget(locale, 'Harbourlight', softban);
    expect([locale, what.includes('**Harbourlight**'), ending.includes('<t:')]).toEqual([
      locale,
      true,
      false,
    ]);
  }
});
