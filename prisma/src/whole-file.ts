import { randomUUID } from 'node:crypto';
import { link, open, rename, rm } from 'node:fs/promises';

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
