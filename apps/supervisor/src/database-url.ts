import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The address of a database on an instance's embedded server. */
export async function databaseUrl(directory: string, name = 'bailiff'): Promise<string> {
  const connection = await readFile(join(directory, 'postgres', 'connection.json'), 'utf8');
  const { port, password } = JSON.parse(connection) as { port: number; password: string };
  return `postgresql://bailiff:${password}@127.0.0.1:${port}/${name}`;
}
