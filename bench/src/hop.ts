import { randomBytes } from 'node:crypto';
import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import pg from 'pg';
import { median } from './figure.ts';
import { forgiveEnds } from './web.ts';

const CALLS = 300;
const WARM_UP = 30;
/** As many jobs at once as the bot takes up. */
const CONCURRENCY = 10;
const CONNECTIONS = 16;

/** The queue alone, in a database of its own on the same server. */
export interface Hop {
  /** Adds an empty job, and resolves when its end is announced. */
  hop(): Promise<void>;
  close(): Promise<void>;
}

export async function openHop(databaseUrl: string): Promise<Hop> {
  const admin = new pg.Client(databaseUrl);
  await admin.connect();
  const database = `bailiff_bench_${randomBytes(4).toString('hex')}`;
  await admin.query(`CREATE DATABASE ${database}`);
  await admin.end();
  const own = new URL(databaseUrl);
  own.pathname = `/${database}`;
  const connectionString = own.href;
  // The database stays until its server is removed: a pool has ended before its connections have closed, and dropping
  // the database would end those.
  const pool = new pg.Pool({ connectionString, max: CONNECTIONS });
  // graphile-worker stops listening for errors of a connection before it has closed.
  forgiveEnds(pool);
  const listener = new pg.Client(connectionString);
  listener.on('error', () => {});
  await listener.connect();
  await listener.query('LISTEN done');
  const waiting = new Map<string, () => void>();
  listener.on('notification', ({ payload = '' }) => waiting.get(payload)?.());
  const logger = new Logger(() => () => {});
  const utils = await makeWorkerUtils({ pgPool: pool, logger });
  await utils.migrate();
  const runner = await run({
    pgPool: pool,
    concurrency: CONCURRENCY,
    noHandleSignals: true,
    logger,
    taskList: {
      perform: async (payload, { query }) => {
        await query("SELECT pg_notify('done', $1)", [String(payload)]);
      },
    },
  });
  let calls = 0;
  return {
    hop: async () => {
      calls += 1;
      const call = String(calls);
      const done = new Promise<void>((resolve) => waiting.set(call, resolve));
      await pool.query("SELECT graphile_worker.add_job('perform', to_json($1::text))", [call]);
      await done;
      waiting.delete(call);
    },
    close: async () => {
      await runner.stop();
      await utils.release();
      await listener.end();
      await pool.end();
    },
  };
}

/**
 * The time of the queue alone: an empty job is added, run, and its end is announced.
 *
 * @returns milliseconds, p50
 */
export async function measureHopOn(databaseUrl: string): Promise<number> {
  const queue = await openHop(databaseUrl);
  try {
    for (let call = 0; call < WARM_UP; call += 1) await queue.hop();
    return median(await timesOf(CALLS, queue.hop));
  } finally {
    await queue.close();
  }
}

/** How long each of some calls takes, one after the other, in milliseconds. */
export async function timesOf(calls: number, work: (call: number) => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let call = 0; call < calls; call += 1) {
    const startedAt = performance.now();
    await work(call);
    times.push(performance.now() - startedAt);
  }
  return times;
}
