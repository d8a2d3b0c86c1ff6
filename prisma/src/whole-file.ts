import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type FileHandle, link, open, rename, rm, stat } from 'node:fs/promises';

/**
 * Writes a file for this user only. Whoever reads it finds what was there before or all of the new content, also after a
 * power cut or on a full disk.
 */
export async function writeWholeFile(path: string, content: string): Promise<void> {
  const unfinished = `${path}.new`;
  await writeFirst(unfinished, content, () => rename(unfinished, path));
}

/** The same for a file that is never replaced. @throws Error with the code EEXIST if there is one already */
export async function writeNewFile(path: string, content: string): Promise<void> {
  // Another process may write it at the same time.
  const unfinished = `${path}.${randomUUID()}`;
  await writeFirst(unfinished, content, async () => {
    await link(unfinished, path);
    await rm(unfinished, { force: true });
  });
}

/**
 * Writes a file that takes a while, for this user only. `.unfinished` stands behind its name until it is whole. What an
 * earlier attempt left there is replaced, and so is what another command is writing there: that one fails at its end.
 *
 * @param write must not close the file
 * @throws Error if there is such a file, or what `write` throws. Nothing of it is left then
 */
export async function writeInSteps<Result>(
  path: string,
  write: (file: FileHandle) => Promise<Result>,
): Promise<Result> {
  const refuseExisting = () => {
    if (existsSync(path)) throw new Error(`${path} exists already: name another file.`);
  };
  const writtenTwice = () => new Error(`Another command wrote ${path} at the same time: name another file.`);
  refuseExisting();
  const unfinished = `${path}.unfinished`;
  await rm(unfinished, { force: true });
  const file = await open(unfinished, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? writtenTwice() : error;
  });
  const isOurs = async () => {
    const there = await stat(unfinished).catch(() => undefined);
    return there?.ino === (await file.stat()).ino;
  };
  try {
    const result = await write(file);
    await file.sync();
    if (!(await isOurs())) throw writtenTwice();
    // Somebody may have made one in the hours that it took.
    refuseExisting();
    await rename(unfinished, path);
    return result;
  } catch (error) {
    if (await isOurs()) await rm(unfinished, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

async function writeFirst(unfinished: string, content: string, finish: () => Promise<void>): Promise<void> {
  try {
    const file = await open(unfinished, 'w', 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await finish();
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => {});
    throw error;
  }
}
