import type { Database, PrismaModels } from '@bailiff/prisma';
import type { PoolClient } from 'pg';
import { DatabaseTooSlow, databaseUnavailable, isDatabaseUnavailable } from './database-errors.ts';

/** A connection inside BEGIN … COMMIT: for statements of `sql`, and for Prisma Client. */
export interface Transaction extends Pick<PoolClient, 'query'> {
  readonly prisma: PrismaModels;
}

function transactionOn(db: Database, connection: PoolClient): Transaction {
  return {
    query: connection.query.bind(connection),
    get prisma() {
      return db.prismaOn(connection);
    },
  };
}

/**
 * What a transaction does. A query it has sent and need not wait for is given to `commitBehind`: COMMIT goes out on its
 * heels, and nothing is committed should it fail.
 */
type Work<T> = (tx: Transaction, commitBehind: (sent: Promise<unknown>) => void) => Promise<T>;

interface Patience {
  /** Milliseconds after which the caller is told; what has not been committed then never will be. */
  readonly withinMs?: number;
  /** What the transaction records, for the caller to look up should the outcome be unknown. */
  readonly actionId?: string | undefined;
}

/**
 * Runs `work` in one transaction and returns what it returned; whatever it throws rolls everything back. BEGIN goes out
 * together with the first query.
 *
 * @throws ApiError UPSTREAM_UNAVAILABLE when the database is away: `not_performed` before the COMMIT was sent,
 * `unknown` when its answer was lost.
 */
export async function inTransaction<T>(
  db: Database,
  work: Work<T>,
  { withinMs, actionId }: Patience = {},
): Promise<T> {
  const progress: Progress = { stage: 'not_performed', isLate: false };
  const running = run(db, work, progress).catch((error: unknown) => {
    throw isDatabaseUnavailable(error) ? databaseUnavailable(progress.stage, actionId) : error;
  });
  if (withinMs === undefined) return running;
  const timeIsUp = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    progress.isLate = true;
    timeIsUp.reject(databaseUnavailable(progress.stage, actionId));
  }, withinMs);
  try {
    return await Promise.race([running, timeIsUp.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Runs `work` in a transaction that is rolled back whatever it does, and returns what it returned. */
export async function withoutEffect<T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const connection = await db.pool.connect();
  try {
    await connection.query('BEGIN');
    return await work(transactionOn(db, connection));
  } finally {
    const rolledBack = await connection.query('ROLLBACK').then(succeeded, failed);
    connection.release(!rolledBack);
  }
}

interface Progress {
  stage: 'not_performed' | 'unknown';
  /** The caller has been told already. */
  isLate: boolean;
}

async function run<T>(db: Database, work: Work<T>, progress: Progress): Promise<T> {
  let connection: PoolClient | undefined;
  let broken = false;
  try {
    connection = await db.pool.connect();
    const begun = connection.query('BEGIN');
    begun.catch(() => {}); // waited for below; `work` fails for the same reason before that
    let behind: Promise<unknown> | undefined;
    const result = await work(transactionOn(db, connection), (sent) => {
      behind = sent;
      sent.catch(() => {}); // waited for together with the COMMIT
    });
    await begun;
    if (progress.isLate) throw new DatabaseTooSlow();
    progress.stage = 'unknown';
    await Promise.all([behind, connection.query('COMMIT')]);
    return result;
  } catch (error) {
    broken = (await connection?.query('ROLLBACK').then(succeeded, failed)) === false;
    throw error;
  } finally {
    connection?.release(broken); // a connection that cannot even roll back is not given to anybody else
  }
}

const succeeded = () => true;
const failed = () => false;
