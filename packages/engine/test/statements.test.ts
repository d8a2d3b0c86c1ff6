import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CAPABILITIES } from '@bailiff/core';
import {
  checkStatements,
  createTestDatabase,
  declaredFamilies,
  type TestDatabase,
} from '@bailiff/prisma/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findPeople } from '#src/guilds/people.ts';

const SOURCES = join(import.meta.dirname, '../src');

let testDatabase: TestDatabase;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  for (const path of sources()) await import(path);
});

afterAll(() => testDatabase.drop());

function sources(): string[] {
  return readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join(SOURCES, path));
}

const viewer = { id: '1', isOwner: true, capabilities: CAPABILITIES };

/** Uses each text that is put together at run time, so that it is declared. */
async function useFamilies(): Promise<void> {
  const { database: db } = testDatabase;
  await findPeople(db, viewer, '');
}

test('every statement has the parameters and columns that it declares', async () => {
  await useFamilies();
  expect(declaredFamilies().filter(({ statements }) => statements.length === 0)).toEqual([]);
  expect(await checkStatements(testDatabase.url)).toEqual([]);
});
