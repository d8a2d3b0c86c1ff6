import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationError } from '@bailiff/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { prepareDirectory } from '#src/home-directory.ts';

let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'bailiff-home-'));
});

afterEach(() => rm(home, { recursive: true, force: true }));

test('a missing directory is made with its parents, and nothing else is left in it', async () => {
  const directory = join(home, 'one', 'two');
  await prepareDirectory(directory);
  await prepareDirectory(directory);
  expect(await readdir(directory)).toEqual([]);
});

test('a directory that takes no new entry is refused in one sentence', async () => {
  const file = join(home, 'file');
  await writeFile(file, '');
  // In /proc nobody can make anything, not even root.
  for (const directory of ['/proc', '/proc/bailiff', '/proc/bailiff/data', file, join(file, 'data')]) {
    const error = await prepareDirectory(directory).catch((thrown: unknown) => thrown);
    if (!(error instanceof ConfigurationError)) throw new Error(`${directory} was not refused.`);
    expect(error.problems.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^BAILIFF_DIR must be a directory that this user can make and write in \(.+\)\.$/,
      ),
    ]);
  }
});
