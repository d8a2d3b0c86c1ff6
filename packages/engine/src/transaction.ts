import type { Database } from '@bailiff/prisma';
import type { PoolClient } from 'pg';
import { databaseUnavailable, isDatabaseUnavailable } from './database-errors.ts';

/** A connection inside BEGIN … COMMIT. */
export type Transaction = PoolClient;

/**
 * Runs `work` in one transaction and returns what it returned; whatever it throws rolls everything back.
 *
 * @throws ApiError UPSTREAM_UNAVAILABLE when the database is away: `not_performed` before the COMMIT was sent,
 * `unknown` when its answer was lost.
 */
export async function inTransaction<T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  let stage: 'not_performed' | 'unknown' = 'not_performed';
  let tx: Transaction | undefined;
  let broken = false;
  try {
    tx = await db.pool.connect();
    await tx.query('BEGIN');
    const result = await work(tx);
    stage = 'unknown';
    await tx.query('COMMIT');
    return result;
  } catch (error) {
    broken = (await tx?.query('ROLLBACK').then(succeeded, failed)) === false;
    throw isDatabaseUnavailable(error) ? databaseUnavailable(stage) : error;
  } finally {
    tx?.release(broken); // a connection that cannot even roll back is not given to anybody else
  }
}

const succeeded = () => true;
const failed = () => false;
