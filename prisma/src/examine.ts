import pg from 'pg';
import { mayChangeTables, missingIn, readApplied, readNeeds, refusalOf, unknownTo } from './migrate.ts';
import { connectingTo } from './primary.ts';

/** The state of a database, compared with this release. */
export interface Examined {
  /** The major version of PostgreSQL. */
  readonly postgres: number;
  /** Why no process can start on it; undefined if one can. */
  readonly refusal: string | undefined;
  /** Migrations and SQL files that this release has and the database has not, or as they were in an earlier release. */
  readonly missing: readonly string[];
  /** Whether a start with this login brings it up to date. */
  readonly mayUpdate: boolean;
  /** Migrations that the database has and this release does not know: a later release applied them. */
  readonly unknown: readonly string[];
}

const TIMEOUT_MS = 5_000;

/** Reads the state of a database and changes nothing. @throws Error of pg if it does not answer within seconds */
export async function examineDatabase(url: string): Promise<Examined> {
  const timeouts = { connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS };
  const pool = new pg.Pool({
    ...connectingTo(url),
    application_name: 'bailiff-doctor',
    max: 1,
    ...timeouts,
  });
  pool.on('error', () => {});
  try {
    const { rows } = await pool.query<{ version: number }>(
      "SELECT current_setting('server_version_num')::int AS version",
    );
    const needs = await readNeeds();
    const known = await readApplied(pool);
    return {
      postgres: Math.floor((rows[0]?.version ?? 0) / 10_000),
      refusal: await refusalOf(pool, needs.migrations, known),
      missing: await missingIn(pool, needs),
      mayUpdate: await mayChangeTables(pool),
      unknown: unknownTo(needs.migrations, known),
    };
  } finally {
    await pool.end();
  }
}
