import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { isBusy, LOCK_TIMEOUT_MS, type Waiting, whenFree } from './when-free.ts';

const RUNNING = 'finished_at IS NULL AND rolled_back_at IS NULL';
/**
 * Records the end of the migration whose script runs, in the script's own transaction: PostgreSQL carries a script out
 * to its end also when the process that sent it is gone. Prisma records it afterwards, in a statement of its own. Views
 * count as changed from then on, so that they are made again with the new columns whoever comes to that.
 */
const RECORD_END = `UPDATE _prisma_migrations SET finished_at = now() WHERE ${RUNNING};
  DO $$ BEGIN
    IF to_regclass('_bailiff_sql') IS NOT NULL THEN
      UPDATE _bailiff_sql SET checksum = '' WHERE name LIKE 'views/%';
    END IF;
  END $$`;
const RUNNING_MIGRATION = `
  SELECT migration_name AS migration, pg_backend_pid() AS pid FROM _prisma_migrations WHERE ${RUNNING} LIMIT 1`;

/**
 * Prisma's PostgreSQL adapter, made fit for migrations.
 *
 * The stock adapter cuts a script at every semicolon, which breaks function bodies and comments and leaves half a
 * migration behind when a statement fails. Here a script is one simple query, as Prisma's native engine sends it: one
 * implicit transaction, all or nothing.
 */
export class MigrationAdapter extends PrismaPg {
  /** Why the last script failed; the engine itself reports only a number. */
  lastScriptError: Error | undefined;
  readonly #pool: pg.Pool;
  readonly #waiting: Waiting;

  constructor(pool: pg.Pool, waiting: Waiting) {
    super(pool);
    this.#pool = pool;
    this.#waiting = waiting;
  }

  override async connect(): ReturnType<PrismaPg['connect']> {
    const adapter = await super.connect();
    adapter.executeScript = async (script) => {
      // One that has failed keeps its connection, and with it the lock.
      const client = await this.#pool.connect();
      try {
        await this.#execute(client, `SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS};${script}\n;${RECORD_END}`);
      } catch (error) {
        this.lastScriptError = error instanceof Error ? error : new Error(String(error));
        throw error;
      } finally {
        client.release();
      }
    };
    return adapter;
  }

  async #execute(client: pg.PoolClient, script: string): Promise<void> {
    const { rows } = await client.query<{ migration: string; pid: number }>(RUNNING_MIGRATION);
    const { migration = '', pid = 0 } = rows[0] ?? {};
    const change = { name: `Migration ${migration}`, pid, settings: this.#pool.options };
    await whenFree(change, this.#waiting, () => client.query(script));
  }
}

/** The error for a migration whose script failed. */
export function explainFailed(name: string, cause: Error): Error {
  if (!(cause instanceof pg.DatabaseError)) {
    return new Error(
      `The connection was lost while migration ${name} ran: ${cause.message}. Start again: the database may have ` +
        'carried it out by then, and otherwise nothing of it remains.',
      { cause },
    );
  }
  const advice = isBusy(cause)
    ? 'Others use its tables: start again when they have ended.'
    : `Correct prisma/migrations/${name}/migration.sql or the data it objects to, and start again.`;
  return new Error(`Migration ${name} failed and nothing of it remains: ${cause.message}. ${advice}`, {
    cause,
  });
}
