// Databases that are filled before a run measures what needs quiet processors.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { folderIn, startServer } from './server.ts';
import { forgiveEnds } from './web.ts';

/** What a database is filled with. It needs as long as it needs: no statement has a time limit. */
type Seed<T> = (pool: pg.Pool, server: { readonly url: string; readonly folder: string }) => Promise<T>;

const fileIn = (directory: string) => join(directory, 'prepared.json');

/** Fills a new database server in a directory and stops it. What `seed` returns is kept, as JSON, for {@link preparedIn}. */
export async function prepareDatabase<T>(directory: string, seed: Seed<T>): Promise<void> {
  const server = await startServer(directory);
  const pool = new pg.Pool({ connectionString: server.url, max: 2 });
  forgiveEnds(pool);
  try {
    const kept = await seed(pool, { url: server.url, folder: folderIn(directory) });
    await writeFile(fileIn(directory), JSON.stringify(kept));
  } finally {
    await pool.end();
    await server.stop();
  }
}

/** What the seed of this directory's database returned. */
export async function preparedIn<T>(directory: string): Promise<T> {
  return JSON.parse(await readFile(fileIn(directory), 'utf8')) as T;
}
