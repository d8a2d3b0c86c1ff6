import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

const LOOK_EVERY_MS = 500;
const ANSWER_TIMEOUT_MS = 2_000;

/** A process that another one waits for. One that waits for nobody itself comes first. */
const BLOCKER = `
  SELECT format('%s (process %s of the database)', coalesce(nullif(application_name, ''), usename), pid) AS blocker
  FROM pg_stat_activity WHERE pid = ANY (pg_blocking_pids($1))
  ORDER BY pid IN (SELECT pid FROM pg_locks WHERE NOT granted) LIMIT 1`;

/** Sees who a process of the database waits for, which it cannot ask itself meanwhile. */
export class BlockerWatch {
  /** Whom it waited for when it was last seen to wait. */
  blocker: string | undefined;
  readonly #ending = new AbortController();
  readonly #watching: Promise<void>;

  /** @param settings how to connect to the database */
  constructor(settings: pg.PoolConfig, pid: number) {
    this.#watching = this.#watch(settings, pid);
  }

  async end(): Promise<void> {
    this.#ending.abort();
    await this.#watching;
  }

  async #watch(settings: pg.PoolConfig, pid: number): Promise<void> {
    const { signal } = this.#ending;
    const pool = new pg.Pool({
      ...settings,
      connectionTimeoutMillis: ANSWER_TIMEOUT_MS,
      query_timeout: ANSWER_TIMEOUT_MS,
    });
    pool.on('error', () => {});
    while (!signal.aborted) {
      await delay(LOOK_EVERY_MS, undefined, { signal }).catch(() => {});
      if (signal.aborted) break;
      // Where it cannot look, nobody is named.
      const found = await pool.query<{ blocker: string }>(BLOCKER, [pid]).catch(() => undefined);
      this.blocker = found?.rows[0]?.blocker ?? this.blocker;
    }
    await pool.end();
  }
}
