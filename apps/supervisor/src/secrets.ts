import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from './start-error.ts';

export interface Secrets {
  NEXTAUTH_SECRET: string;
  /** The key that seals the passwords of game servers: 32 bytes in base64. */
  SECRETS_KEY: string;
}

/**
 * The secrets of an installation with an embedded database, created on the first start. They are stored next to the
 * database, because without SECRETS_KEY its passwords are lost.
 *
 * @throws StartError if the file exists but cannot be read; it is never replaced
 */
export async function keptSecrets(directory: string): Promise<Secrets> {
  const path = join(directory, 'secrets.json');
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new StartError(`${path} cannot be read: ${error.message}`);
  });
  if (text !== undefined) return parseSecrets(text, path);
  const secrets: Secrets = {
    NEXTAUTH_SECRET: randomBytes(32).toString('base64'),
    SECRETS_KEY: randomBytes(32).toString('base64'),
  };
  await writeFile(path, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  return secrets;
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
