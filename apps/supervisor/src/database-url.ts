import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ownerUrlOf } from '@bailiff/prisma/embedded';

/** The address of a database on an instance's embedded server, for its owner. */
export async function databaseUrl(directory: string, name = 'bailiff'): Promise<string> {
  const connection = await readFile(join(directory, 'postgres', 'connection.json'), 'utf8');
  return ownerUrlOf(JSON.parse(connection), name);
}
