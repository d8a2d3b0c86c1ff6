import pg from 'pg';
import { TRY_FOR_MS, type WaitOptions } from './when-free.ts';

// Prisma's own lock. Its engine takes it again in this same session, and `prisma migrate deploy` elsewhere waits for us.
const PRISMA_ADVISORY_LOCK = 72_707_369;

/** Whoever has the lock may wait for a backup, and needs time for its script besides. */
export const LOCK_TIMEOUT_SECONDS = TRY_FOR_MS / 1000 + 60;

/**
 * Takes the lock for as long as the pool's connection stands. Waits in slices of a second, so that an abort is noticed
 * while another process holds the lock.
 *
 * @throws Error when the lock is not free within `timeoutSeconds`
 */
export async function takeLock(
  pool: pg.Pool,
  timeoutSeconds: number,
  { signal, onWait }: WaitOptions,
): Promise<void> {
  const deadline = Date.now() + timeoutSeconds * 1000;
  for (let isFirst = true; ; isFirst = false) {
    signal?.throwIfAborted();
    const remaining = deadline - Date.now();
    if (remaining <= 0) {
      throw new Error(
        `Another process has been migrating this database for ${timeoutSeconds} s (advisory lock ${PRISMA_ADVISORY_LOCK}). ` +
          'Wait for it or end it, then start again.',
      );
    }
    try {
      await pool.query(`SET lock_timeout = ${Math.min(1000, Math.ceil(remaining))}`);
      await pool.query('SELECT pg_advisory_lock($1)', [PRISMA_ADVISORY_LOCK]);
      await pool.query('RESET lock_timeout');
      return;
    } catch (error) {
      if (!(error instanceof pg.DatabaseError && error.code === '55P03')) throw error;
      if (isFirst) onWait?.('Waiting for another process that is migrating this database.');
    }
  }
}

/** @throws Error with PostgreSQL's code for it if nothing can be written, which a statement would tell as its own fault */
export async function refuseReadOnly(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ state: string }>(
    "SELECT current_setting('transaction_read_only') AS state",
  );
  if (rows[0]?.state !== 'on') return;
  const message = 'The database takes no writes, because it is a standby or read-only';
  throw Object.assign(new Error(message), { code: '25006' });
}
