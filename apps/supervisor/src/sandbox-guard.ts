import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigurationError } from '@bailiff/core';
import type { Settings } from './settings.ts';

/**
 * Keeps the sandbox from a directory whose database has served a real Discord: it knows none of the real guilds, so the
 * bot would record that it has left them all.
 *
 * @throws ConfigurationError if the sandbox would start there and `SANDBOX=on` is not set
 */
export async function keepFromSandbox(
  directory: string,
  { usesSandbox, sandboxAllowed }: Pick<Settings, 'usesSandbox' | 'sandboxAllowed'>,
): Promise<void> {
  if (!usesSandbox) return markServedDiscord(directory);
  if (sandboxAllowed || !(await hasServedDiscord(directory))) return;
  const message =
    `DISCORD_TOKEN is not set, and the database in ${directory} has served a real Discord: set DISCORD_TOKEN, or ` +
    'BAILIFF_DIR to another directory, or SANDBOX=on to give this database to the sandbox.';
  throw new ConfigurationError([{ variable: 'DISCORD_TOKEN', message }]);
}

/** Whether the embedded database in this directory has served a real Discord. */
export async function hasServedDiscord(directory: string): Promise<boolean> {
  return exists(markIn(directory));
}

export async function markServedDiscord(directory: string): Promise<void> {
  // On a full disk it could not be written again.
  if (await hasServedDiscord(directory)) return;
  const text = 'The database here has served a real Discord. See SANDBOX in .env.example.\n';
  await writeFile(markIn(directory), text);
}

function markIn(directory: string): string {
  return join(directory, 'real-discord');
}

/** Whether there is such a file or directory. */
export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
