import { expect, test } from 'vitest';
import { given } from '#src/database/given.ts';

test('an update changes the fields that are given, and a field that is given as null becomes null', () => {
  expect(given({ name: 'new', note: undefined, expiresAt: null })).toStrictEqual({
    name: 'new',
    expiresAt: null,
  });
});
