import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newMigration, pendingSchemaChange } from '#src/new-migration.ts';
import { SCHEMA_PATH } from '#src/paths.ts';
import { databaseDifference } from '#src/schema-engine.ts';
import { createTestDatabase } from '#src/testing.ts';

const datasource = 'datasource db {\n  provider = "postgresql"\n}\n';
const note = 'model Note {\n  id   String @id\n}\n';
const now = new Date('2026-03-04T05:06:07Z');

let directory: string;
let schemaPath: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'bailiff-schema-'));
  schemaPath = join(directory, 'schema.prisma');
});

afterEach(() => rm(directory, { recursive: true }));

test('the committed migrations and schema.prisma say the same', async () => {
  expect(await pendingSchemaChange(), 'run: npm run migration -- <name>').toBe('');
});

test('the migrations, applied to an empty database, give the tables of schema.prisma', async () => {
  const { url, drop } = await createTestDatabase();
  expect(await databaseDifference(url, await readFile(SCHEMA_PATH, 'utf8'))).toBe('');
  await drop();
});

test('the first migration creates, the next one alters, a third has nothing to do', async () => {
  await writeFile(schemaPath, datasource + note);
  const first = await newMigration('add_notes', { directory, now });
  expect(basename(first ?? '')).toBe('20260304050607_add_notes');
  expect(await readFile(join(first ?? '', 'migration.sql'), 'utf8')).toContain('CREATE TABLE "Note"');

  await writeFile(schemaPath, datasource + note.replace('@id\n', '@id\n  text String?\n'));
  const second = await newMigration('add_text', { directory, now });
  expect(basename(second ?? '')).toBe('20260304050608_add_text');
  expect(await readFile(join(second ?? '', 'migration.sql'), 'utf8')).toBe(
    '-- AlterTable\nALTER TABLE "Note" ADD COLUMN     "text" TEXT;\n',
  );

  expect(await newMigration('nothing', { directory, now })).toBeUndefined();
  expect(await readdir(join(directory, 'migrations'))).toEqual([
    '20260304050607_add_notes',
    '20260304050608_add_text',
    'schema.prisma',
  ]);
});

test('without the copy of the schema there is no telling what changed, which is said', async () => {
  await writeFile(schemaPath, datasource + note);
  await newMigration('add_notes', { directory, now });
  await rm(join(directory, 'migrations', 'schema.prisma'));
  await expect(newMigration('add_text', { directory, now })).rejects.toThrow(
    /migrations\/schema\.prisma is missing.*Restore it from version control/,
  );
});

test.each(['', 'Add_Notes', 'add-notes', '../etc', '1st', 'a'.repeat(61)])(
  '%j cannot name a migration',
  async (name) => {
    await writeFile(schemaPath, datasource + note);
    await expect(newMigration(name, { directory, now })).rejects.toThrow(
      /cannot name a migration\. Use lower-case words/,
    );
  },
);

test('an invalid schema is refused with its place', async () => {
  await writeFile(schemaPath, `${datasource}model Note {\n  id Strong @id\n}\n`);
  await expect(newMigration('add_notes', { directory, now })).rejects.toThrow(/Strong/);
});
