import { join } from 'node:path';
import { plainQueries, statementProblems } from '@bailiff/prisma/testing';
import { expect, test } from 'vitest';

const APP = join(import.meta.dirname, '..');

test.for(['src', 'app', 'components'])(
  '%s: every query is a statement of `sql` or Prisma Client’s',
  (folder) => {
    expect(plainQueries(join(APP, folder))).toEqual([]);
  },
);

test('every statement has the parameters and columns that it declares', async () => {
  expect(await statementProblems(join(APP, 'src'))).toEqual([]);
});
