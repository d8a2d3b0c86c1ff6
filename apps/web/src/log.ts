import pino, { type Logger } from 'pino';

/** A line per request would be a write per request: lines wait for each other, this long at most, or for `flush`. */
const FLUSH_EVERY_MS = 200;
const FLUSH_AT_BYTES = 8 * 1024;

export function createLog(level: string): Logger {
  const out = pino.destination({ sync: true, minLength: FLUSH_AT_BYTES, periodicFlush: FLUSH_EVERY_MS });
  return pino({ level, base: { process: 'web' } }, out);
}
