import pino, { type Logger } from 'pino';

/**
 * How long log lines are buffered, in milliseconds, so that not each request is one write; `flush` writes them at once.
 */
const FLUSH_EVERY_MS = 200;
const FLUSH_AT_BYTES = 8 * 1024;
/** What is kept of lines that cannot be written, as on a full disk; later ones are lost. */
const MOST_KEPT_BYTES = 1024 * 1024;

export function createLog(level: string): Logger {
  const out = pino.destination({
    sync: true,
    minLength: FLUSH_AT_BYTES,
    maxLength: MOST_KEPT_BYTES,
    periodicFlush: FLUSH_EVERY_MS,
  });
  // What could not be written is tried again with the next lines.
  out.on('error', () => {});
  return pino({ level, base: { process: 'web' } }, out);
}
