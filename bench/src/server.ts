// Database servers of parts. Making one and its tables takes three seconds, so a run makes one, and each part copies it.
import { existsSync } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { migrate } from '@bailiff/prisma';
import { type EmbeddedPostgres, removeWithServers, startEmbeddedPostgres } from '@bailiff/prisma/embedded';
import pg from 'pg';
import { run } from '../../apps/supervisor/src/processes.mjs';
import { makeDirectory } from './directory.ts';

/** Names the folder of the server to copy to the processes of a run. Without it, each makes its own. */
const VARIABLE = 'BENCH_TEMPLATE';
const COPY_TIMEOUT_MS = 60_000;

/** Where a server keeps everything, in the directory of a part as in that of an instance. */
export const folderIn = (directory: string) => join(directory, 'postgres');

/** Makes the server that the parts of this run copy. Returns how to remove it. */
export async function makeTemplate(): Promise<() => Promise<void>> {
  const directory = await makeDirectory();
  const server = await startServer(directory);
  // As PostgreSQL does by itself in the first minutes of a new database, which would be measured as work of ours.
  const client = new pg.Client(server.url);
  await client.connect();
  await client.query('VACUUM ANALYZE');
  await client.end();
  await server.stop();
  const data = await lstat(join(folderIn(directory), 'data'));
  // Data that is kept elsewhere would be shared, not copied.
  if (!data.isSymbolicLink()) process.env[VARIABLE] = folderIn(directory);
  return async () => {
    delete process.env[VARIABLE];
    await removeWithServers(directory);
  };
}

/** Puts a copy of the run's server into a directory that has none yet. */
export async function copyTemplate(directory: string): Promise<void> {
  const template = process.env[VARIABLE];
  if (template === undefined) return;
  const { code, output } = await run('cp', ['-a', template, folderIn(directory)], {
    timeoutMs: COPY_TIMEOUT_MS,
  });
  if (code !== 0) throw new Error(`The database of the run was not copied: ${output}`);
}

/** A durable server in a directory, with today's tables: the one that is there, or a new one. */
export async function startServer(directory: string): Promise<EmbeddedPostgres> {
  if (!existsSync(folderIn(directory))) await copyTemplate(directory);
  const server = await startEmbeddedPostgres({ directory: folderIn(directory) });
  await migrate(server.url);
  return server;
}
