import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationError } from '@bailiff/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { prepareDirectory } from '#src/home-directory.ts';
import { endedBy } from '#src/start-error.ts';

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

test('on a full disk a start ends so that it is tried again, and not as with a wrong setting', async (context) => {
  // A file system that takes no entry but its own folder. Only root may mount one.
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'nr_inodes=1', 'tmpfs', home]);
  context.skip(status !== 0, 'it needs the right to mount a file system');
  try {
    const error = await prepareDirectory(home).catch((thrown: unknown) => thrown);
    expect(endedBy(error)).toEqual({
      exitCode: 1,
      message: expect.stringMatching(
        /^Nothing can be written in \/.+ at the moment \(ENOSPC.+\)\. Make room/,
      ),
    });
  } finally {
    spawnSync('umount', [home]);
  }
});
