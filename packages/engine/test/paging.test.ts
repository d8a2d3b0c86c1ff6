import { expect, test } from 'vitest';
import { type PageStart, pageOf } from '#src/desk/paging.ts';

test.each<
  [string, PageStart<number>, number[], { rows: number[]; newer: number | null; older: number | null }]
>([
  ['the first of several', { limit: 2 }, [5, 4, 3], { rows: [5, 4], newer: null, older: 4 }],
  ['the only one', { limit: 2 }, [5, 4], { rows: [5, 4], newer: null, older: null }],
  ['one in the middle', { limit: 2, before: 6 }, [5, 4, 3], { rows: [5, 4], newer: 5, older: 4 }],
  ['the last', { limit: 2, before: 6 }, [5, 4], { rows: [5, 4], newer: 5, older: null }],
  ['the first, on the way back', { limit: 2, after: 3 }, [4, 5], { rows: [5, 4], newer: null, older: 4 }],
  [
    'one in the middle, on the way back',
    { limit: 2, after: 2 },
    [3, 4, 5],
    { rows: [4, 3], newer: 4, older: 3 },
  ],
  [
    'one after a row, whatever it is before',
    { limit: 2, before: 9, after: 3 },
    [4, 5],
    { rows: [5, 4], newer: null, older: 4 },
  ],
  ['an empty list', { limit: 2 }, [], { rows: [], newer: null, older: null }],
  ['what is older than the oldest', { limit: 2, before: 1 }, [], { rows: [], newer: null, older: null }],
  ['what is newer than the newest', { limit: 2, after: 9 }, [], { rows: [], newer: null, older: null }],
])('a page that is %s shows its rows, newest first, and leads to its neighbours', (_, start, read, page) => {
  expect(pageOf(read, start, (row) => row)).toEqual(page);
});
