import { readdir } from 'node:fs/promises';
import type { GuildState } from '@bailiff/core';
import { type Database, sql } from '@bailiff/prisma';

type Check = 'ok' | string;

export interface Readiness {
  readonly ready: boolean;
  readonly checks: { readonly database: Check; readonly migrations: Check; readonly gateway: Check };
  /** How many guilds are in each state; states without a guild are left out. Null if the database does not say. */
  readonly guilds: Readonly<Partial<Record<GuildState, number>>> | null;
}

const MIGRATIONS = new URL('../migrations/', import.meta.resolve('@bailiff/prisma'));

const state = sql.statement({
  parameters: [],
  columns: {
    applied: sql.arrayOf(sql.text),
    alive: sql.int,
    lost: sql.int,
    wanted: sql.int.orNull,
    guilds: sql.json<Readonly<Partial<Record<GuildState, number>>>>().orNull,
  },
  text: `SELECT (SELECT coalesce(array_agg(migration_name::text), '{}') FROM _prisma_migrations WHERE finished_at IS NOT NULL)
                AS applied,
              count(*) FILTER (WHERE lost_at IS NULL)::int AS alive, count(lost_at)::int AS lost,
              max(shard_count) AS wanted,
              (SELECT json_object_agg(mirror_state, count) FROM (
                SELECT mirror_state, count(*)::int FROM live_guilds WHERE left_at IS NULL GROUP BY mirror_state) AS states)
                AS guilds
       FROM gateway_shards WHERE heartbeat_is_fresh(heartbeat_at)`,
});

/**
 * Whether the service can answer: the database and its tables are there, and a bot has a live gateway connection. One
 * of several shards is enough, because calls for guilds of the others report that themselves. A connection that is lost
 * does not count from that moment on, although calls are still served for the minute in which it may be resumed.
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
      gateway: alive >= wanted ? 'ok' : gatewayProblem(alive, wanted, row?.lost ?? 0),
    };
    return { ready: missing.length === 0 && alive > 0, checks, guilds: row?.guilds ?? {} };
  } catch (error) {
    const tablesMissing = error instanceof Error && 'code' in error && error.code === '42P01';
    return {
      ready: false,
      checks: {
        database: tablesMissing ? 'ok' : 'does not answer',
        migrations: tablesMissing ? 'not applied' : 'unknown',
        gateway: 'unknown',
      },
      guilds: null,
    };
  }
}

function gatewayProblem(alive: number, wanted: number, lost: number): string {
  const connecting = lost === 0 ? '' : `; ${lost} lost the connection and connect again`;
  return `${alive} of ${wanted} shards have a fresh heartbeat${connecting}`;
}

let known: Promise<string[]> | undefined;

function migrationNames(): Promise<string[]> {
  known ??= readdir(MIGRATIONS, { withFileTypes: true }).then((entries) =>
    entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name),
  );
  return known;
}
