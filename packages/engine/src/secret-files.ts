import { readFileSync } from 'node:fs';
import { ConfigurationError, type ConfigurationProblem } from '@bailiff/core';

/** Variables whose value may be in a file, which the variable with `_FILE` behind its name names. */
export const SECRET_VARIABLES = [
  'DATABASE_URL',
  'DATABASE_BOT_URL',
  'DATABASE_WEB_URL',
  'DISCORD_TOKEN',
  'DISCORD_CLIENT_SECRET',
  'NEXTAUTH_SECRET',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'SECRETS_KEY',
  'SECRETS_KEY_PREVIOUS',
] as const;

/**
 * Puts the secrets that are in files into the environment, each without the line's end, in place of the files' names.
 * Returns what is wrong with the others, which stay as they are.
 */
export function takeSecretFiles(env: NodeJS.ProcessEnv): ConfigurationProblem[] {
  return SECRET_VARIABLES.flatMap((variable) => {
    const named = `${variable}_FILE`;
    const path = env[named] ?? '';
    if (path === '') return [];
    const problem = (text: string) => [{ variable, message: `${named} ${text}.` }];
    if ((env[variable] ?? '') !== '') return problem(`and ${variable} are both set: remove one`);
    try {
      const secret = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
      if (secret === '') return problem(`names an empty file (${path}): write the secret into it`);
      env[variable] = secret;
      delete env[named];
      return [];
    } catch (error) {
      const reason = error instanceof Error && 'code' in error ? error.code : error;
      return problem(`names a file that cannot be read (${path}: ${reason}): let this user read it`);
    }
  });
}

/**
 * The configuration of a process, read from `env` after its secrets that are in files were put there.
 *
 * @throws ConfigurationError with every problem at once, of the files and of the variables
 */
export function withSecretFiles<Config>(
  env: NodeJS.ProcessEnv,
  read: (env: NodeJS.ProcessEnv) => Config,
): Config {
  const problems = takeSecretFiles(env);
  const isNew = ({ variable }: ConfigurationProblem) => problems.every((each) => each.variable !== variable);
  let config: Config;
  try {
    config = read(env);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new ConfigurationError([...problems, ...error.problems.filter(isNew)]);
  }
  if (problems.length > 0) throw new ConfigurationError(problems);
  return config;
}
