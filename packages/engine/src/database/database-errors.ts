import { ApiError } from '@bailiff/core';
import { z } from 'zod';
import { DEADLINES } from '#src/engine.ts';

/** SQLSTATE classes and codes that mean "the database cannot serve this now", not "the query is wrong". */
const UNAVAILABLE = /^(08|53|57P|58|40001|40P01|55P03|57014|25P03|25006)/;
const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOENT',
  'ENOTFOUND',
  // The resolver does not answer.
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** The database took longer than the caller can wait for it. */
export class DatabaseTooSlow extends Error {
  constructor() {
    super('The database did not answer in time');
    this.name = 'DatabaseTooSlow';
  }
}

/** What was committed is on one server, and the standby that must have it too did not confirm it in time. */
export class NotReplicated extends Error {
  constructor() {
    super('No standby confirmed the commit in time');
    this.name = 'NotReplicated';
  }
}

/** How long one caller waits for the database, over all queries together. */
export interface Patience {
  /** Milliseconds. */
  leftMs(): number;
  /** @throws DatabaseTooSlow if the time is used up before `work` is done. */
  within<T>(work: Promise<T>): Promise<T>;
  /** Waits for something else, without using up this time. */
  aside<T>(work: Promise<T>): Promise<T>;
}

export function patience(ms: number = DEADLINES.storeMs): Patience {
  let endsAt = performance.now() + ms;
  const leftMs = () => Math.max(0, endsAt - performance.now());
  return {
    leftMs,
    async within(work) {
      const timeIsUp = Promise.withResolvers<never>();
      const timer = setTimeout(() => timeIsUp.reject(new DatabaseTooSlow()), leftMs());
      try {
        return await Promise.race([work, timeIsUp.promise]);
      } finally {
        clearTimeout(timer);
      }
    },
    async aside(work) {
      const startedAt = performance.now();
      try {
        return await work;
      } finally {
        endsAt += performance.now() - startedAt;
      }
    },
  };
}

/** Prisma's error codes for failures that carry no code of pg. */
const CODE_OF_KIND: Readonly<Record<string, string>> = {
  DatabaseNotReachable: 'ECONNREFUSED',
  ConnectionClosed: 'ECONNRESET',
  SocketTimeout: 'ETIMEDOUT',
};

const DriverFailure = z.object({
  meta: z.object({
    driverAdapterError: z.object({
      cause: z.object({ kind: z.string(), originalCode: z.string().optional() }),
    }),
  }),
});

/** The SQLSTATE or network code of a pg error, also if Prisma Client has wrapped it; otherwise ''. */
export function databaseErrorCode(error: Error): string {
  const wrapped = DriverFailure.safeParse(error);
  if (wrapped.success) {
    const { kind, originalCode } = wrapped.data.meta.driverAdapterError.cause;
    return originalCode ?? CODE_OF_KIND[kind] ?? '';
  }
  if (!('code' in error) || typeof error.code !== 'string') return '';
  // A database that is stopped has no socket file. Any other file that is missing says nothing about it.
  if (error.code === 'ENOENT' && !('syscall' in error && error.syscall === 'connect')) return '';
  return error.code;
}

/** Whether an error of pg or Prisma Client means that the database is unavailable, overloaded or too slow. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseTooSlow || error instanceof NotReplicated) return true;
  if (!(error instanceof Error)) return false;
  const code = databaseErrorCode(error);
  return (
    UNAVAILABLE.test(code) ||
    NETWORK.has(code) ||
    // pg and pg-pool set no code for these errors.
    /timeout exceeded when trying to connect|Connection terminated|Query read timeout|client has encountered/i.test(
      error.message,
    )
  );
}

/**
 * The error for a caller if the database is unavailable (hazards G6). It says that nothing was done (503), or that the
 * outcome is unknown (502). `actionId` is the id of the action, if it was recorded; `cause` is the error to log.
 */
export function databaseUnavailable(
  outcome: 'not_performed' | 'unknown',
  actionId?: string,
  cause?: unknown,
): ApiError {
  const lead = 'The database does not answer.';
  const message =
    outcome === 'not_performed'
      ? `${lead} Nothing was done; try again in a few seconds.`
      : `${lead} Whether this happened is not known yet.`;
  if (outcome === 'not_performed') {
    const details = { upstream: 'database', outcome, retry_after_seconds: 5 } as const;
    return new ApiError('UPSTREAM_UNAVAILABLE', message, { details, cause });
  }
  const action = actionId === undefined ? {} : { action_id: actionId };
  const details = { upstream: 'database', outcome, ...action } as const;
  return new ApiError('UPSTREAM_UNAVAILABLE', message, { status: 502, details, cause });
}

/** Whether a failed statement certainly had no effect, given its error that {@link isDatabaseUnavailable}. */
export function wasNotExecuted(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = databaseErrorCode(error);
  return (
    /^(53|40|55P03|57014|57P03|25006|ECONNREFUSED|ENOENT|ENOTFOUND|EAI_AGAIN)/.test(code) ||
    /timeout exceeded when trying to connect/.test(error.message)
  );
}
