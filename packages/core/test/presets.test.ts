import { expect, test } from 'vitest';
import { PresetInput } from '#src/index.ts';

const SPAM = { name: 'spam', reason: 'Spam' };

test.each([
  [
    { kind: 'strike', severity: 'major' },
    { severity: 'major', durationMinutes: null },
  ],
  [
    { kind: 'mute', duration_minutes: 60 },
    { severity: null, durationMinutes: 60 },
  ],
  [
    { kind: 'ban', duration_minutes: 1440 },
    { severity: null, durationMinutes: 1440 },
  ],
  [{ kind: 'ban' }, { severity: null, durationMinutes: null }],
])('the preset %j brings %j along', (given, brought) => {
  const { kind } = given;
  expect(PresetInput.parse({ ...SPAM, ...given })).toEqual({ ...SPAM, kind, ...brought });
});

test.each([
  ['a strike without a severity', { kind: 'strike' }],
  ['a strike with a length', { kind: 'strike', severity: 'minor', duration_minutes: 5 }],
  ['a mute without a length', { kind: 'mute' }],
  ['a permanent mute', { kind: 'mute', duration_minutes: null }],
  ['a ban with a severity', { kind: 'ban', severity: 'major' }],
  ['a note', { kind: 'note' }],
])('%s is no preset', (_, wrong) => {
  expect(PresetInput.safeParse({ ...SPAM, ...wrong }).success).toBe(false);
});

test('a name is trimmed, has 1 to 64 characters, and no control character', () => {
  const parsed = (name: string) => PresetInput.safeParse({ ...SPAM, kind: 'ban', name });
  expect(parsed(`  ${'n'.repeat(64)} `).data?.name).toBe('n'.repeat(64));
  expect([parsed('  ').success, parsed('n'.repeat(65)).success]).toEqual([false, false]);
  expect(parsed('a\u0007b').error?.issues.map(({ message }) => message)).toEqual([
    'must not contain control characters',
  ]);
});
