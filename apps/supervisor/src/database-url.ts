import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseAddressSetting, parseDatabaseAddress, parseEnvironment } from '@bailiff/core';
import { ownerUrlOf, processUrlsOf } from '@bailiff/prisma/embedded';
import { z } from 'zod';
import { StartError } from './start-error.ts';

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

const OwnDatabase = z.object({ DATABASE_URL: DatabaseAddressSetting.optional() });

/** The address of a database of one's own, if there is one. @throws ConfigurationError if it is none that can be used */
export function ownDatabaseUrl(env: NodeJS.ProcessEnv): string | undefined {
  return parseEnvironment(OwnDatabase, env).DATABASE_URL;
}

/** Codes of errors that tell of an address that leads nowhere: no server, no such login, no such database. */
const WRONG_ADDRESS = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  '28P01',
  '28000',
  '3D000',
];

const LATER = 'Try again once its server takes connections.';
/** What helps where the server is there, by the code of its error: too many connections, a start, and no writes. */
const REMEDIES: Readonly<Record<string, string>> = {
  '53300': LATER,
  '57P03': LATER,
  '25006': 'Name the server that takes writes, or let it take them.',
};

/** The error of a database of one's own, with the variable that names it if it cannot be used as it is. */
export function explained(url: string, error: unknown): unknown {
  const { code = '', message = '' } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  const isLate = /timeout/i.test(message);
  const remedy = REMEDIES[code];
  if (!WRONG_ADDRESS.includes(code) && !isLate && remedy === undefined) return error;
  return new StartError(
    `The database of DATABASE_URL (${parseDatabaseAddress(url)?.shown}) cannot be used: ${message || code}. ` +
      (remedy ?? 'Check the address, and that its server runs.'),
  );
}
