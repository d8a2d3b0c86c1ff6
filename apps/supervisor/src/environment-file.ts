import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError } from '@bailiff/core';
import { SECRET_VARIABLES, takeSecretFiles } from '@bailiff/engine/secret-files';
import { ROOT } from './root.ts';

/**
 * Reads `.env` into the environment, if there is one. What the environment says counts, also of a secret that one of them
 * has in a file and the other has not.
 *
 * @throws ConfigurationError when it cannot be read
 */
export function loadEnvironmentFile(): void {
  const path = join(ROOT, '.env');
  if (!existsSync(path)) return;
  const before = { ...process.env };
  try {
    process.loadEnvFile(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `.env cannot be read (${reason}): let this user read it, or remove it.`;
    throw new ConfigurationError([{ variable: '.env', message }]);
  }
  for (const variable of SECRET_VARIABLES) {
    const file = `${variable}_FILE`;
    // One that is set to nothing counts as well: it is how a command is told to leave out what .env has.
    if (before[variable] !== undefined && before[file] === undefined) delete process.env[file];
    if (before[file] && before[variable] === undefined) delete process.env[variable];
  }
}

/**
 * The same, with the secrets that are in files.
 *
 * @throws ConfigurationError when one of the files cannot be read
 */
export function loadEnvironment(): void {
  loadEnvironmentFile();
  const problems = takeSecretFiles(process.env);
  if (problems.length > 0) throw new ConfigurationError(problems);
}
