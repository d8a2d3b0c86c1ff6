import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readSqlFiles } from '#src/sql-files.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'bailiff-sql-files-'));
});

afterEach(() => rm(directory, { recursive: true }));

async function namesOf(files: Record<string, string>): Promise<string[]> {
  for (const [path, sql] of Object.entries(files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), sql);
  }
  return (await readSqlFiles(directory)).map(({ name }) => name);
}

test('functions come before views and views before triggers, each by name, what a file needs before it', async () => {
  expect(
    await namesOf({
      'triggers/a.sql': '',
      'views/a.sql': '',
      'functions/a.sql': '-- Reads a view.\n-- after: functions/d, views/b\nSELECT 1;',
      'functions/c.sql': '',
      'functions/d.sql': '-- after: functions/c',
      'views/b.sql': '',
    }),
  ).toEqual(['functions/c', 'functions/d', 'views/b', 'functions/a', 'views/a', 'triggers/a']);
});

test.each([
  ['functions/Two.sql', '', /prisma\/functions\/Two\.sql cannot be applied: name it as what it makes/],
  ['functions/notes.txt', '', /prisma\/functions\/notes\.txt cannot be applied/],
  [
    'views/two.sql',
    '-- after: views/three',
    /prisma\/views\/two\.sql says "-- after: views\/three", but there is no/,
  ],
  ['views/two.sql', '-- after: views/two', /goes in a circle: views\/two → views\/two\. Remove it/],
])('%s with %j is refused with what to do', async (path, sql, message) => {
  await expect(namesOf({ [path]: sql })).rejects.toThrow(message);
});
