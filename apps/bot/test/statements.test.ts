import { join } from 'node:path';
import {
  checkStatements,
  createTestDatabase,
  declaringSources,
  plainQueries,
  type TestDatabase,
} from '@bailiff/prisma/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

const APP = join(import.meta.dirname, '..');

let testDatabase: TestDatabase;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  for (const path of declaringSources(join(APP, 'src'))) await import(path);
});

afterAll(() => testDatabase.drop());

test('every query is a statement of `sql` or Prisma Client’s', () => {
  expect(plainQueries(join(APP, 'src'))).toEqual([]);
});

test('every statement has the parameters and columns that it declares', async () => {
  expect(await checkStatements(testDatabase.url)).toEqual([]);
});
