import type { Stage } from './harness.ts';

/** How often a worker tries to record how an action ended. */
const TRIES = 3;

/**
 * Lets no failure of an action be recorded from now on, as when the database is away or the process dies. Returns what
 * waits until its worker has given up, and then lets another go on with it.
 */
export async function loseFailures({ test, row }: Pick<Stage, 'test' | 'row'>): Promise<() => Promise<void>> {
  const { pool } = test.database;
  // A sequence counts on although what used it is undone.
  await pool.query(`CREATE SEQUENCE lost_failures;
    CREATE FUNCTION lose_failure() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
      'BEGIN PERFORM nextval(''lost_failures''); RAISE ''no space left''; END';
    CREATE TRIGGER lose_failure BEFORE UPDATE ON actions FOR EACH ROW WHEN (NEW.state = 'failed')
      EXECUTE FUNCTION lose_failure()`);
  return async () => {
    await row('SELECT FROM lost_failures WHERE last_value = $1', [TRIES]);
    await pool.query('DROP FUNCTION lose_failure CASCADE; DROP SEQUENCE lost_failures');
    await pool.query(
      "UPDATE actions SET lease_expires_at = now() - interval '1 second' WHERE state = 'running'",
    );
    await pool.query("SELECT graphile_worker.add_job('recover', '{}')");
  };
}
