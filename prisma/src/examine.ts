import { join } from 'node:path';
import pg from 'pg';
import { readApplied, readMigrations, unknownTo } from './migrate.ts';
import { PRISMA_DIRECTORY } from './paths.ts';
import { connectingTo } from './primary.ts';

/** The state of a database, compared with this release. */
export interface Examined {
  /** The major version of PostgreSQL. */
  readonly postgres: number;
  /** Migrations that this release has and the database has not. */
  readonly missing: readonly string[];
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
    const applied = (await readApplied(pool)).filter(({ finished }) => finished);
    const ours = await readMigrations(join(PRISMA_DIRECTORY, 'migrations'));
    const names = new Set(applied.map(({ name }) => name));
    return {
      postgres: Math.floor((rows[0]?.version ?? 0) / 10_000),
      missing: ours.map(({ name }) => name).filter((name) => !names.has(name)),
      unknown: unknownTo(ours, applied),
    };
  } finally {
    await pool.end();
  }
}
