import { readdir } from 'node:fs/promises';
import { type Database, sql } from '@bailiff/prisma';

type Check = 'ok' | string;

export interface Readiness {
  readonly ready: boolean;
  readonly checks: { readonly database: Check; readonly migrations: Check; readonly gateway: Check };
}

const MIGRATIONS = new URL('../migrations/', import.meta.resolve('@bailiff/prisma'));

const state = sql.statement({
  parameters: [],
  columns: { applied: sql.arrayOf(sql.text), alive: sql.int, wanted: sql.int.orNull },
  text: `SELECT (SELECT coalesce(array_agg(migration_name::text), '{}') FROM _prisma_migrations WHERE finished_at IS NOT NULL)
                AS applied,
              count(*)::int AS alive, max(shard_count) AS wanted
       FROM gateway_shards WHERE heartbeat_is_fresh(heartbeat_at)`,
});

/**
 * Whether the service can answer: the database and its tables are there, and a bot has a live gateway connection. One
 * of several shards is enough, because calls for guilds of the others report that themselves.
 */
export async function readiness({ pool }: Pick<Database, 'pool'>): Promise<Readiness> {
  try {
    const row = await state.first(pool, []);
    const missing = (await migrationNames()).filter((name) => !row?.applied.includes(name));
    const alive = row?.alive ?? 0;
    const wanted = Math.max(1, row?.wanted ?? 1);
    const checks = {
      database: 'ok',
      migrations: missing.length === 0 ? 'ok' : `not applied: ${missing.join(', ')}`,
      gateway: alive >= wanted ? 'ok' : `${alive} of ${wanted} shards have a fresh heartbeat`,
    };
    return { ready: missing.length === 0 && alive > 0, checks };
  } catch (error) {
    const tablesMissing = error instanceof Error && 'code' in error && error.code === '42P01';
    return {
      ready: false,
      checks: {
        database: tablesMissing ? 'ok' : 'does not answer',
        migrations: tablesMissing ? 'not applied' : 'unknown',
        gateway: 'unknown',
      },
    };
  }
}

/** The result of `compute`, which runs at most once a second, however many ask. */
export function onceASecond<T>(
  compute: () => Promise<T>,
  now: () => number = () => performance.now(),
): () => Promise<T> {
  let last: { readonly at: number; readonly result: Promise<T> } | undefined;
  return () => {
    if (last === undefined || now() - last.at >= 1000) last = { at: now(), result: compute() };
    return last.result;
  };
}

let known: Promise<string[]> | undefined;

function migrationNames(): Promise<string[]> {
  known ??= readdir(MIGRATIONS, { withFileTypes: true }).then((entries) =>
    entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name),
  );
  return known;
}
