import { ApiError } from '@bailiff/core';
import { z } from 'zod';
import { DEADLINES } from '#src/engine.ts';

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

/** The database took longer than a caller waits for it. */
export class DatabaseTooSlow extends Error {
  constructor() {
    super('The database did not answer in time');
    this.name = 'DatabaseTooSlow';
  }
}

/** How long one caller waits for the database, over all that is asked of it. */
export interface Patience {
  /** Milliseconds. */
  leftMs(): number;
  /** @throws DatabaseTooSlow when there is nothing left before `work` is done. */
  within<T>(work: Promise<T>): Promise<T>;
  /** Waits for something else, which takes nothing of it. */
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

/** How Prisma names failures for which it leaves out pg's code. */
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

/** The SQLSTATE or network code of an error of pg, also where Prisma Client has wrapped it; else ''. */
export function databaseErrorCode(error: Error): string {
  const wrapped = DriverFailure.safeParse(error);
  if (wrapped.success) {
    const { kind, originalCode } = wrapped.data.meta.driverAdapterError.cause;
    return originalCode ?? CODE_OF_KIND[kind] ?? '';
  }
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Whether an error of pg or Prisma Client means that the database is away, overloaded or too slow. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (error instanceof DatabaseTooSlow) return true;
  if (!(error instanceof Error)) return false;
  const code = databaseErrorCode(error);
  return (
    UNAVAILABLE.test(code) ||
    NETWORK.has(code) ||
    // pg and pg-pool give these no code.
    /timeout exceeded when trying to connect|Connection terminated|Query read timeout|client has encountered/i.test(
      error.message,
    )
  );
}

/**
 * What a caller is told when the database is away (hazards G6): certainly nothing was done, or nobody knows. `actionId`
 * is under what it was recorded if it was.
 */
export function databaseUnavailable(outcome: 'not_performed' | 'unknown', actionId?: string): ApiError {
  const lead = 'The database does not answer.';
  const message =
    outcome === 'not_performed'
      ? `${lead} Nothing was done; try again in a few seconds.`
      : `${lead} Whether this happened is not known yet.`;
  return new ApiError('UPSTREAM_UNAVAILABLE', message, {
    details: {
      upstream: 'database',
      outcome,
      retry_after_seconds: 5,
      ...(actionId === undefined || outcome !== 'unknown' ? {} : { action_id: actionId }),
    },
  });
}

/** Whether the statement that failed with an error that {@link isDatabaseUnavailable} certainly had no effect. */
export function wasNotExecuted(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = databaseErrorCode(error);
  return (
    /^(53|40|55P03|57014|57P03|ECONNREFUSED|ENOENT)/.test(code) ||
    /timeout exceeded when trying to connect/.test(error.message)
  );
}
