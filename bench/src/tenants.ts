import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Crowd, seedCrowd } from '@bailiff/engine/testing-crowd';
import { dashboardLists, publicLists } from '@bailiff/engine/testing-lists';
import { type Database, migrate, openDatabase } from '@bailiff/prisma';
import { startEmbeddedPostgres } from '@bailiff/prisma/embedded';
import type { QueryConfig } from 'pg';
import { makeDirectory } from './directory.ts';
import { seedGuilds } from './seed.ts';

const ROUNDS = 3;

export interface TenantsCosts {
  readonly statements: number;
  /** Milliseconds of all statements, p95. */
  readonly p95: number;
  /** The slowest list by the median of its rounds. */
  readonly slowest: number;
}

/** The statements of every list with every filter, alone and in pairs, for a guild that has a fifth of a large database. */
export async function measureTenants(crowd: Crowd): Promise<TenantsCosts> {
  const directory = await makeDirectory();
  const server = await startEmbeddedPostgres({ directory: join(directory, 'postgres') });
  await migrate(server.url);
  const db = openDatabase(server.url, { applicationName: 'bench', statementTimeoutMs: 60_000 });
  try {
    await seedGuilds(db.pool, crowd.guilds);
    await seedCrowd(db.pool, crowd);
    return await measureLists(db);
  } finally {
    await db.close();
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

/** Measures the lists in a database that has its crowd already. */
export async function measureLists(db: Database): Promise<TenantsCosts> {
  const all: number[] = [];
  let slowest = { ms: 0, what: '' };
  for (const { what, run } of [...publicLists(), ...dashboardLists()]) {
    const rounds: number[][] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const samples: number[] = [];
      await run({ ...db, pool: timed(db, samples) });
      rounds.push(samples);
    }
    all.push(...rounds.flat());
    const worst = rounds.map((samples) => Math.max(...samples)).toSorted((a, b) => a - b);
    const ms = worst[Math.floor(ROUNDS / 2)] ?? 0;
    if (ms > slowest.ms) slowest = { ms, what };
  }
  const p95 = all.toSorted((a, b) => a - b)[Math.floor(all.length * 0.95)] ?? Number.NaN;
  process.stderr.write(`The slowest: ${slowest.ms.toFixed(0)} ms, ${slowest.what}\n`);
  return { statements: all.length, p95, slowest: slowest.ms };
}

/** The pool, which notes how long each query took. */
function timed({ pool }: Database, samples: number[]): Database['pool'] {
  return new Proxy(pool, {
    get: (of, name) =>
      name === 'query'
        ? async (query: QueryConfig) => {
            const startedAt = performance.now();
            const result = await of.query(query);
            samples.push(performance.now() - startedAt);
            return result;
          }
        : Reflect.get(of, name),
  });
}
