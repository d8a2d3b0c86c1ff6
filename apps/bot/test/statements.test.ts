import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkStatements, createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

const SOURCES = join(import.meta.dirname, '../src');

let testDatabase: TestDatabase;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  for (const path of sources()) {
    if (readFileSync(path, 'utf8').includes('sql.')) await import(path);
  }
});

afterAll(() => testDatabase.drop());

function sources(): string[] {
  return readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join(SOURCES, path));
}

test('every statement has the parameters and columns that it declares', async () => {
  expect(await checkStatements(testDatabase.url)).toEqual([]);
});
