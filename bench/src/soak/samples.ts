import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Database } from '@bailiff/prisma';
import { SURVIVORS, type Survivor } from './measures.ts';

const ANSWER_MS = 5_000;

/** What a process holds after a garbage collection. */
export interface Held {
  readonly heapBytes: number;
  readonly externalBytes: number;
  readonly residentBytes: number;
  readonly files: number;
}

interface OfDatabase {
  readonly connections: number;
  readonly dueJobs: number;
  readonly openActions: number;
  readonly steadyRows: number;
  readonly steadyBytes: number;
  readonly bytes: number;
  /** Rows of each table. */
  readonly rows: Readonly<Record<string, number>>;
}

/** What is there at a moment. What could not be asked, because it was killed, is absent. */
export interface Sample {
  readonly seconds: number;
  /** Things done so far that may add records. */
  readonly done: number;
  readonly processes: Readonly<Partial<Record<Survivor, Held>>>;
  readonly database: OfDatabase | undefined;
}

/** The tables of docs/growth.md, by whether they grow with use. */
export function tablesOfGrowth(): {
  readonly growing: readonly string[];
  readonly steady: readonly string[];
} {
  const page = readFileSync(resolve(import.meta.dirname, '../../../docs/growth.md'), 'utf8');
  const [before = '', after = ''] = page.split('\n## What a guild has');
  const names = (of: string) => [...of.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name ?? '');
  return { growing: names(before), steady: names(after) };
}

const TABLES = tablesOfGrowth();

export interface Sampled {
  readonly probes: string;
  readonly db: Database;
  readonly pids: Readonly<Record<Survivor, number>>;
  readonly startedAt: number;
  readonly done: () => number;
}

export async function takeSample({ probes, db, pids, startedAt, done }: Sampled): Promise<Sample> {
  const processes: Partial<Record<Survivor, Held>> = {};
  for (const name of SURVIVORS) {
    const held = await askProcess(join(probes, `${pids[name]}.sock`)).catch(() => undefined);
    if (held !== undefined) processes[name] = held;
  }
  return {
    seconds: (performance.now() - startedAt) / 1000,
    done: done(),
    processes,
    database: await askDatabase(db).catch(() => undefined),
  };
}

async function askProcess(path: string): Promise<Held> {
  const socket = connect(path);
  socket.setTimeout(ANSWER_MS, () => socket.destroy(new Error(`${path} does not answer.`)));
  await once(socket, 'connect');
  return JSON.parse(await text(socket));
}

async function askDatabase({ pool }: Database): Promise<OfDatabase> {
  const steady = [...TABLES.steady.map((name) => `public.${name}`), 'graphile_worker._private_jobs'];
  const { rows } = await pool.query<
    Record<'connections' | 'due' | 'open' | 'steady_bytes' | 'bytes', string>
  >(
    `SELECT (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections,
       (SELECT count(*) FROM graphile_worker._private_jobs WHERE run_at <= now() AND attempts < max_attempts
          AND task_id NOT IN (SELECT id FROM graphile_worker._private_tasks WHERE identifier = 'learn_names')) AS due,
       (SELECT count(*) FROM actions WHERE state IN ('pending', 'running')) AS open,
       (SELECT sum(pg_total_relation_size(name::regclass)) FROM unnest($1::text[]) AS name) AS steady_bytes,
       pg_database_size(current_database()) AS bytes`,
    [steady],
  );
  const counts = [...TABLES.growing, ...TABLES.steady].map(
    (name) => `SELECT '${name}' AS name, count(*) AS many FROM ${name}`,
  );
  const counted = await pool.query<{ name: string; many: string }>(counts.join(' UNION ALL '));
  const byName = Object.fromEntries(counted.rows.map(({ name, many }) => [name, Number(many)]));
  const found = rows[0];
  if (found === undefined) throw new Error('The database answered without a row.');
  return {
    connections: Number(found.connections),
    dueJobs: Number(found.due),
    openActions: Number(found.open),
    steadyRows: TABLES.steady.reduce((sum, name) => sum + (byName[name] ?? 0), 0),
    steadyBytes: Number(found.steady_bytes),
    bytes: Number(found.bytes),
    rows: byName,
  };
}
