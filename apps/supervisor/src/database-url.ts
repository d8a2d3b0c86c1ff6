import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ownerUrlOf, processUrlsOf } from '@bailiff/prisma/embedded';

/** The address of a database on an instance's embedded server, for its owner. */
export async function databaseUrl(directory: string, name = 'bailiff'): Promise<string> {
  return ownerUrlOf(await connectionIn(directory), name);
}

/** The address of an instance's embedded database for a web process. */
export async function webDatabaseUrl(directory: string): Promise<string> {
  return processUrlsOf(await connectionIn(directory)).web;
}

async function connectionIn(directory: string) {
  return JSON.parse(await readFile(join(directory, 'postgres', 'connection.json'), 'utf8'));
}
