import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A new directory, also for a database server. If we are root, PostgreSQL runs as another user. Where that user cannot
 * pass, the server keeps its data in /var/lib/bailiff, and removing the directory would leave it there.
 */
export async function makeDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'bailiff-bench-'));
  await chmod(directory, 0o755);
  return directory;
}
