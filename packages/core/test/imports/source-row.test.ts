import { expect, test } from 'vitest';
import { caseWithText, piecesOf, utc } from '#src/imports/source-row.ts';

const CASE = {
  type: 'case',
  id: '7',
  user_id: 'someone',
  issued_by: 'a moderator',
  issued_at: 'then',
} as const;

test('a reason has no blanks around it, and an empty one is none', () => {
  expect(caseWithText(CASE, ' Spam\n')).toEqual([{ ...CASE, reason: 'Spam' }]);
  expect(caseWithText(CASE, ' \n')).toEqual([{ ...CASE, reason: null }]);
});

test('a reason of 512 characters stays whole, and a longer one is continued in notes', () => {
  const longest = 'x'.repeat(512);
  expect(caseWithText(CASE, longest)).toEqual([{ ...CASE, reason: longest }]);
  const note = (number: number, text: string) => ({
    type: 'note',
    id: `7/${number}`,
    user_id: 'someone',
    text,
    written_by: 'a moderator',
    written_at: 'then',
  });
  expect(caseWithText(CASE, `${longest}y`)).toEqual([
    { ...CASE, reason: `${'x'.repeat(511)}…` },
    note(1, `${longest}y`),
  ]);
  expect(caseWithText(CASE, `${'x'.repeat(1_000)}y`).slice(1)).toEqual([
    note(1, 'x'.repeat(1_000)),
    note(2, 'y'),
  ]);
});

test.each([
  ['', []],
  ['abcd', ['abcd']],
  ['abcdefghi', ['abcd', 'efgh', 'i']],
  ['abc😀d', ['abc', '😀d']],
  ['ab😀c', ['ab😀', 'c']],
  ['abc😀', ['abc', '😀']],
  ['abc\udbff\udfff', ['abc', '\udbff\udfff']],
  ['abc\ud800\udc00', ['abc', '\ud800\udc00']],
  ['abc\ud800', ['abc\ud800']],
  ['abc\ue000d', ['abc\ue000', 'd']],
  ['abc\ud7ffd', ['abc\ud7ff', 'd']],
])('%j in pieces of at most four is %j', (text, pieces) => {
  expect(piecesOf(text, 4)).toEqual(pieces);
});

test.each([
  ['2024-05-06 07:08', '2024-05-06T07:08:00.000Z'],
  [' 2024-05-06T07:08:09.5 ', '2024-05-06T07:08:09.500Z'],
  ['2024-05-06', '2024-05-06T00:00:00.000Z'],
  ['2024-05-06T07:08Z', '2024-05-06T07:08:00.000Z'],
  ['2024-05-06T07:08z', '2024-05-06T07:08:00.000Z'],
  ['2024-05-06 07:08+02:00', '2024-05-06T05:08:00.000Z'],
  ['2024-05-06T07:08-0230', '2024-05-06T09:38:00.000Z'],
  // As PostgreSQL writes it.
  ['2026-01-31 12:00:00+01', '2026-01-31T11:00:00.000Z'],
  ['2026-01-31 23:30:00.123456-03', '2026-02-01T02:30:00.123Z'],
  ['2024-02-29 00:30+05:30', '2024-02-28T19:00:00.000Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
])('the moment %j is %s', (written, moment) => {
  expect(utc(written)).toBe(moment);
});

test.each([
  ...[null, undefined, 12, '', ' ', 'yesterday', '2024-13-01'],
  // Some people read these as another day, and the browser as one in its own zone.
  ...['01/02/2026', '1.2.2026', '31.12.2025', 'Jan 5 2026', '2026', '2026-1-5', '1735689600', '2026-01-05x'],
  // There are no such days.
  ...[
    '2026-02-30 12:00',
    '2026-04-31T10:00Z',
    '2026-02-29',
    '2026-02-31 23:30:00+01',
    '2026-00-10',
    '2026-06-00',
  ],
])('%j is no moment and stays as it is', (written) => {
  expect(utc(written)).toBe(written);
});
