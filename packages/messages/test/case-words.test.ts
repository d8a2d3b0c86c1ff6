import { verifies } from '@bailiff/core/testing';
import { expect, test } from 'vitest';
import { LOCALES, sayToTarget, sayUndelivered } from '#src/index.ts';

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

test.each([
  [
    { kind: 'ban', durationMinutes: null, date: null },
    'You were banned from **Harbourlight** permanently.',
    'It does not end by itself; only a moderator can lift it.',
  ],
  [
    { kind: 'ban', durationMinutes: 1_440, date: '<t:1:f>' },
    'You were banned from **Harbourlight** for 1 day.',
    'It ends by itself: <t:1:f>. You may join again then.',
  ],
  [
    { kind: 'mute', durationMinutes: 90, date: '<t:1:f>' },
    'You were muted on **Harbourlight** for 90 minutes.',
    'It ends by itself: <t:1:f>.',
  ],
  [
    { kind: 'strike', severity: 'major', durationMinutes: null, date: null },
    'You were given a major strike on **Harbourlight**.',
    'It stays on your record there until a moderator removes it.',
  ],
] as const)('what was done to somebody, and how it ends, is told: %j', (told, what, ending) => {
  expect(sayToTarget('en', 'Harbourlight', { severity: null, ...told })).toEqual({ what, ending });
});

test('who could not be told is said with the reason, and nothing where they were', () => {
  expect(sayUndelivered('en', 'closed', 'Otto')).toBe(
    'Otto could not be told: they take no messages from the bot.',
  );
  const said = ['closed', 'absent', 'not_sent', 'unknown'].map((result) =>
    sayUndelivered('en', result, 'Otto'),
  );
  expect(new Set(said).size).toBe(4);
  expect([sayUndelivered('en', 'told', 'Otto'), sayUndelivered('en', 'constructor', 'Otto')]).toEqual([
    null,
    null,
  ]);
});
