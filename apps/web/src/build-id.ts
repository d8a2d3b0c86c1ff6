import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const PATH = fileURLToPath(new URL('../.next/BUILD_ID', import.meta.url));

/** Names the build whose pages this process serves. In development nothing is built, and pages update by themselves. */
export async function readBuildId(): Promise<string> {
  return readFile(PATH, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return 'development';
    throw error;
  });
}
