import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError } from '@bailiff/core';
import { takeSecretFiles } from '@bailiff/engine/secret-files';
import { ROOT } from './root.ts';

/** Reads `.env` into the environment, if there is one. @throws ConfigurationError when it cannot be read */
export function loadEnvironmentFile(): void {
  const path = join(ROOT, '.env');
  if (!existsSync(path)) return;
  try {
    process.loadEnvFile(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `.env cannot be read (${reason}): let this user read it, or remove it.`;
    throw new ConfigurationError([{ variable: '.env', message }]);
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
