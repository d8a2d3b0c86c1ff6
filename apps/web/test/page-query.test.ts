import { expect, it } from 'vitest';
import { dayIn, numberOf, textIn, userIn } from '#src/page-query.ts';

it.each([
  ['1', 1],
  ['2147483647', 2_147_483_647],
  // More than the database's numbers hold: there is no such page.
  ['2147483648', undefined],
  ['0', undefined],
  ['01', undefined],
  ['-1', undefined],
  ['1.5', undefined],
  ['1e3', undefined],
  ['', undefined],
])('the number of a page’s address %j is %j', (text, number) => {
  expect(numberOf(text)).toBe(number);
});

it('a text of an address is trimmed, bounded and one that the database can keep', () => {
  expect(textIn({ q: '  a b ' }, 'q')).toBe('a b');
  expect(textIn({ q: 'x'.repeat(201) }, 'q')).toHaveLength(200);
  expect(textIn({ q: 'a\u0000b\ud800' }, 'q')).toBe('ab\ufffd');
  for (const q of [undefined, '', '  ', ['a', 'b']]) expect(textIn({ q }, 'q')).toBeUndefined();
});

it('a day of an address is its start in UTC, or its end', () => {
  expect(dayIn({ from: '2026-11-22' }, 'from')).toEqual(new Date('2026-11-22T00:00:00Z'));
  expect(dayIn({ to: '2026-11-22' }, 'to', true)).toEqual(new Date('2026-11-23T00:00:00Z'));
  for (const from of ['2026-13-01', '22.11.2026', '1999-01-01', 'today']) {
    expect(dayIn({ from }, 'from')).toBeUndefined();
  }
});

it('a user of an address is an id of Discord', () => {
  expect(userIn({ user: '123456789012345678' }, 'user')).toBe('123456789012345678');
  for (const user of ['1234', 'troll', '123456789012345678901']) {
    expect(userIn({ user }, 'user')).toBeUndefined();
  }
});
