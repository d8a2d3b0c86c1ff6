import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeNewFile } from '@bailiff/prisma/whole-file';
import { reasonOf, StartError } from './start-error.ts';

export interface Secrets {
  NEXTAUTH_SECRET: string;
  /** The key that seals the passwords of game servers: 32 bytes in base64. */
  SECRETS_KEY: string;
}

/**
 * The secrets of an installation with an embedded database, created on the first start. They are stored next to the
 * database, because without SECRETS_KEY its passwords are lost.
 *
 * @throws StartError if the file exists but cannot be read, or cannot be written; it is never replaced
 */
export async function keptSecrets(directory: string): Promise<Secrets> {
  const path = join(directory, 'secrets.json');
  const text = await textIn(path);
  if (text !== undefined) return parseSecrets(text, path);
  const secrets: Secrets = {
    NEXTAUTH_SECRET: randomBytes(32).toString('base64'),
    SECRETS_KEY: randomBytes(32).toString('base64'),
  };
  try {
    await writeNewFile(path, `${JSON.stringify(secrets, null, 2)}\n`);
    return secrets;
  } catch (error) {
    // Another process has made them in the meantime.
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      return parseSecrets((await textIn(path)) ?? '', path);
    throw new StartError(
      `${path} cannot be written: ${reasonOf(error)}. Make room on its disk or mend it, then start again.`,
    );
  }
}

function textIn(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new StartError(`${path} cannot be read: ${error.message}`);
  });
}

function parseSecrets(text: string, path: string): Secrets {
  try {
    const { NEXTAUTH_SECRET, SECRETS_KEY } = JSON.parse(text) as Partial<Secrets>;
    if (NEXTAUTH_SECRET && SECRETS_KEY) return { NEXTAUTH_SECRET, SECRETS_KEY };
  } catch {
    // Reported below.
  }
  throw new StartError(
    `${path} is damaged: it must hold NEXTAUTH_SECRET and SECRETS_KEY. Restore it from a backup; if there is none, ` +
      'delete it, sign in again and enter the passwords of the game servers again.',
  );
}
