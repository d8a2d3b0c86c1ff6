import { join } from 'node:path';
import { plainQueries, statementProblems } from '@bailiff/prisma/testing';
import { expect, test } from 'vitest';

const SOURCES = join(import.meta.dirname, '..', 'src');

test('every query is a statement of `sql` or Prisma Client’s', () => {
  expect(plainQueries(SOURCES)).toEqual([]);
});

test('every statement has the parameters and columns that it declares', async () => {
  expect(await statementProblems(SOURCES)).toEqual([]);
});
