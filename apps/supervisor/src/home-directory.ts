import { mkdir, mkdtemp, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ConfigurationError } from '@bailiff/core';
import { reasonOf, StartError } from './start-error.ts';

/** What keeps a directory from being written to that is not its setting: a full or broken disk, no free file. */
const PASSING = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EMFILE', 'ENFILE']);

/**
 * Makes the directory of BAILIFF_DIR if it is missing, and checks that this user can write in it.
 *
 * @throws ConfigurationError when it cannot be used, StartError when that may pass
 */
export async function prepareDirectory(directory: string): Promise<void> {
  try {
    await makeDirectory(directory);
    await rmdir(await mkdtemp(join(directory, '.try-')));
  } catch (error) {
    const reason = reasonOf(error);
    if (PASSING.has((error as NodeJS.ErrnoException).code ?? '')) {
      throw new StartError(
        `Nothing can be written in ${directory} at the moment (${reason}). Make room on its disk or mend it, then start again.`,
      );
    }
    const message = `BAILIFF_DIR must be a directory that this user can make and write in (${reason}).`;
    throw new ConfigurationError([{ variable: 'BAILIFF_DIR', message }]);
  }
}

/** Makes each missing parent by itself: in /proc, Node's `mkdir` with `recursive` never returns. */
async function makeDirectory(directory: string): Promise<void> {
  if (await isDirectory(directory)) return;
  const parent = dirname(directory);
  if (parent !== directory) await makeDirectory(parent);
  try {
    await mkdir(directory, { mode: 0o755 });
  } catch (error) {
    // Another process may have made it in the meantime.
    if (!(await isDirectory(directory))) throw error;
  }
}

function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
