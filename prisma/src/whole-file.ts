import { open, rename, rm } from 'node:fs/promises';

/**
 * Writes a file for this user only. Whoever reads it finds what was there before or all of the new content, also after a
 * power cut or on a full disk.
 */
export async function writeWholeFile(path: string, content: string): Promise<void> {
  const unfinished = `${path}.new`;
  try {
    const file = await open(unfinished, 'w', 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => {});
    throw error;
  }
}
