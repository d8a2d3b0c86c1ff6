import { type Database, type PrismaModels, wasOnOneServerOnly } from '@bailiff/prisma';
import type { PoolClient } from 'pg';
import {
  DatabaseTooSlow,
  databaseUnavailable,
  isDatabaseUnavailable,
  NotReplicated,
} from './database-errors.ts';
import { noteEffect, type OutcomeSoFar, outcomeSoFar } from './effects.ts';

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
 * The body of a transaction. It gives `commitBehind` a query that it has sent and need not wait for. COMMIT is sent
 * right behind that query, and nothing is committed if the query fails.
 */
type Work<T> = (tx: Transaction, commitBehind: (sent: Promise<unknown>) => void) => Promise<T>;

interface Options<T> {
  /** Milliseconds after which the caller gets an error. What is not committed by then never will be. */
  readonly withinMs?: number;
  /** The action that the transaction records, so far as it is known, for a caller whose outcome is unknown to look up. */
  readonly actionId?: () => string | undefined;
  /** Runs the transaction when its turn has come. The turn lasts until the connection is free again. */
  readonly inTurn?: (transaction: () => Promise<T>) => Promise<T>;
}

/**
 * The result of `work`, run in one transaction. Any error that it throws rolls everything back. BEGIN is sent together
 * with the first query.
 *
 * @throws ApiError UPSTREAM_UNAVAILABLE if the database is unavailable: `not_performed` before COMMIT was sent,
 * `unknown` if its answer was lost, or if an earlier transaction of the request may have been committed.
 */
export async function inTransaction<T>(
  db: Database,
  work: Work<T>,
  { withinMs, actionId = () => undefined, inTurn = (transaction) => transaction() }: Options<T> = {},
): Promise<T> {
  const progress: Progress = { stage: outcomeSoFar(), isLate: false };
  const running = inTurn(() => run(db, work, progress)).catch((error: unknown) => {
    throw isDatabaseUnavailable(error) ? databaseUnavailable(progress.stage, actionId(), error) : error;
  });
  if (withinMs === undefined) return running;
  const timeIsUp = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    progress.isLate = true;
    timeIsUp.reject(databaseUnavailable(progress.stage, actionId()));
  }, withinMs);
  try {
    return await Promise.race([running, timeIsUp.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The result of `work`, run in a transaction that is always rolled back. */
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
  stage: OutcomeSoFar;
  /** The caller already has its answer. */
  isLate: boolean;
}

async function run<T>(db: Database, work: Work<T>, progress: Progress): Promise<T> {
  let connection: PoolClient | undefined;
  let broken = false;
  try {
    connection = await db.pool.connect();
    const begun = begin(db, connection);
    begun.catch(() => {}); // awaited below; `work` fails for the same reason before that
    let behind: Promise<unknown> | undefined;
    const result = await work(transactionOn(db, connection), (sent) => {
      behind = sent;
      sent.catch(() => {}); // awaited together with COMMIT
    });
    await begun;
    if (progress.isLate) throw new DatabaseTooSlow();
    progress.stage = 'unknown';
    noteEffect();
    await Promise.all([behind, connection.query('COMMIT')]);
    if (wasOnOneServerOnly(connection)) throw new NotReplicated();
    return result;
  } catch (error) {
    broken = (await connection?.query('ROLLBACK').then(succeeded, failed)) === false;
    throw error;
  } finally {
    connection?.release(broken); // a connection that cannot roll back is not reused
  }
}

async function begin({ guard }: Database, connection: PoolClient): Promise<void> {
  const begun = connection.query('BEGIN');
  await (guard === undefined ? begun : Promise.all([begun, connection.query(guard)]));
}

const succeeded = () => true;
const failed = () => false;
