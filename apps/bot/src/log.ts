import { pino, stdSerializers } from 'pino';

export type Logger = import('pino').Logger;

/**
 * Writes JSON lines to stdout. Known secrets are blotted out of every line, whatever put them there: an error's text,
 * a URL, a library's own message.
 */
export function createLog(level: string, secrets: readonly string[]): Logger {
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
    { write: (line) => process.stdout.write(blot(line)) },
  );
}

/** What is worth knowing of an error; those of Discord's library carry the request and its interaction token. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const { type, message, stack } = stdSerializers.err(error);
  const code = 'code' in error ? error.code : undefined;
  const status = 'status' in error ? error.status : undefined;
  return {
    type,
    message,
    stack,
    ...(code === undefined ? {} : { code }),
    ...(status === undefined ? {} : { status }),
  };
}
