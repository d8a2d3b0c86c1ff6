import { parseDatabaseAddress } from '@bailiff/core';
import { pino, stdSerializers } from 'pino';
import type { Config } from './config.ts';

export type Logger = import('pino').Logger;

// On a full disk, or with a reader that is gone, lines are lost and nothing else is.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

/** The log of this process, without the secrets that it was configured with. */
export function logOf(
  config: Pick<Config, 'logLevel' | 'discordToken' | 'databaseUrl' | 'tracing'>,
  env: NodeJS.ProcessEnv,
): Logger {
  const secrets = [
    config.discordToken,
    env.SECRETS_KEY ?? '',
    env.SECRETS_KEY_PREVIOUS ?? '',
    env.NEXTAUTH_SECRET ?? '',
    env.DISCORD_CLIENT_SECRET ?? '',
    parseDatabaseAddress(config.databaseUrl)?.url.password ?? '',
    ...Object.values(config.tracing?.headers ?? {}),
  ];
  return createLog(
    config.logLevel,
    secrets.filter((secret) => secret.length > 3),
  );
}

/**
 * A logger that writes JSON lines, to stdout unless told otherwise. Known secrets are removed from every line, wherever
 * they come from: an error's text, a URL, a library's own message.
 */
export function createLog(
  level: string,
  secrets: readonly string[],
  write: (line: string) => void = (line) => process.stdout.write(line),
): Logger {
  const blot = (line: string) => secrets.reduce((text, secret) => text.replaceAll(secret, '[secret]'), line);
  return pino(
    {
      level,
      base: { service: 'bot' },
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: describeError },
      redact: {
        paths: ['token', '*.token', 'password', '*.password', 'authorization', '*.authorization'],
        censor: '[secret]',
      },
    },
    { write: (line) => write(blot(line)) },
  );
}

/** What Discord or the database says may be as long as a body. */
const LONGEST_TEXT = 4_000;

/** The useful fields of an error. Errors of Discord's library contain the request and its interaction token. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const { type, message, stack } = stdSerializers.err(error);
  const code = 'code' in error ? error.code : undefined;
  const status = 'status' in error ? error.status : undefined;
  return {
    type,
    message: message.slice(0, LONGEST_TEXT),
    stack: stack.slice(0, LONGEST_TEXT),
    ...(code === undefined ? {} : { code }),
    ...(status === undefined ? {} : { status }),
  };
}
