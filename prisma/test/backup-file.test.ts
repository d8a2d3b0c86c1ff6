// The file of a backup, apart from what is in it.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { lineOf, writeBackupFile } from '#src/backup/file.ts';

test('a backup that breaks off leaves no part of it behind', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'bailiff-backup-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  async function* content() {
    yield lineOf({ table: 'guilds', columns: ['id'] });
    throw new Error('The server is gone.');
  }
  const writing = writeBackupFile(join(directory, 'some.backup'), content(), () => 0);
  await expect(writing).rejects.toThrow('The server is gone.');
  expect(await readdir(directory)).toEqual([]);
});
