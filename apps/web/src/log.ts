import { parseDatabaseAddress } from '@bailiff/core';
import pino, { type Logger } from 'pino';
import type { WebConfig } from './config.ts';

/**
 * How long log lines are buffered, in milliseconds, so that not each request is one write; `flush` writes them at once.
 */
const FLUSH_EVERY_MS = 200;
const FLUSH_AT_BYTES = 8 * 1024;
/** What is kept of lines that cannot be written, as on a full disk; later ones are lost. */
const MOST_KEPT_BYTES = 1024 * 1024;

/** A token of Bailiff's, which a caller may have put into the path of a request. */
const TOKENS = /svcpat_\w+/g;

/**
 * A logger that writes JSON lines to stdout. These secrets and tokens are removed from every line, wherever they come
 * from: a path, an error's text, what a library writes on the console.
 */
export function createLog(level: string, secrets: readonly string[] = []): Logger {
  const out = pino.destination({
    sync: true,
    minLength: FLUSH_AT_BYTES,
    maxLength: MOST_KEPT_BYTES,
    periodicFlush: FLUSH_EVERY_MS,
  });
  // What could not be written is tried again with the next lines.
  out.on('error', () => {});
  const known = secrets.filter((secret) => secret.length > 3);
  const blot = (line: string) =>
    known.reduce((text, secret) => text.replaceAll(secret, '[secret]'), line).replace(TOKENS, '[secret]');
  const stream = {
    write: (line: string) => void out.write(blot(line)),
    flush: (done?: (error?: Error) => void) => out.flush(done),
  };
  return pino({ level, base: { process: 'web' } }, stream);
}

/** The logger of a web process, which writes none of its secrets. */
export function logOf(config: WebConfig): Logger {
  return createLog(config.logLevel, [
    config.discordClientSecret,
    config.nextAuthSecret,
    parseDatabaseAddress(config.databaseUrl)?.url.password ?? '',
    ...Object.values(config.tracing?.headers ?? {}),
  ]);
}
