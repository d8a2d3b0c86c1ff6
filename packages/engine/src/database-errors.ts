import { ApiError } from '@bailiff/core';

/** SQLSTATE classes and codes that mean "the database cannot serve this now", not "the query is wrong". */
const UNAVAILABLE = /^(08|53|57P|58|40001|40P01|55P03|57014|25P03)/;
const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOENT',
  'ENOTFOUND',
  'EHOSTUNREACH',
]);

/** Whether an error of pg means that the database is away, overloaded or too slow. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return (
    UNAVAILABLE.test(code) ||
    NETWORK.has(code) ||
    // pg and pg-pool give these no code.
    /timeout exceeded when trying to connect|Connection terminated|Query read timeout|client has encountered/i.test(
      error.message,
    )
  );
}

/** What a caller is told when the database is away (hazards G6): certainly nothing was done, or nobody knows. */
export function databaseUnavailable(outcome: 'not_performed' | 'unknown'): ApiError {
  return new ApiError('UPSTREAM_UNAVAILABLE', 'The database does not answer. Try again in a few seconds.', {
    details: { upstream: 'database', outcome, retry_after_seconds: 5 },
  });
}

/** Of an error that {@link isDatabaseUnavailable}: whether the statement certainly had no effect. */
export function wasNotExecuted(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return (
    /^(53|40|55P03|57014|57P03|ECONNREFUSED|ENOENT)/.test(code) ||
    /timeout exceeded when trying to connect/.test(error.message)
  );
}
