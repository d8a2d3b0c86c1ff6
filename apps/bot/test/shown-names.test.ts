import { verifies } from '@bailiff/core/testing';
import { expect, test } from 'vitest';
import { memberOf } from '#src/mirror-reads.ts';

test('a member is kept under a name in which there is something to see, and which turns nothing around', () => {
  verifies('names.seen');
  const user = { id: '1', username: 'juno.okafor', global_name: 'Juno', avatar: null };
  const named = (nick: string | null) => memberOf({ user, nick, roles: [], joined_at: '' }).displayName;
  expect(named('\u200b\u2060')).toBe('Juno');
  expect(named('Juno\u202e tfel')).toBe('Juno tfel');
  expect(named(null)).toBe('Juno');
});
