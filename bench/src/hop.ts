import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import pg from 'pg';
import { median } from './figure.ts';
import { forgiveEnds } from './web.ts';

const CALLS = 300;
const WARM_UP = 30;

/**
 * The time of the queue alone: an empty job is added, run, and its end is announced. It uses a separate database on the
 * same server.
 *
 * @returns milliseconds, p50
 */
export async function measureHopOn(databaseUrl: string): Promise<number> {
  const admin = new pg.Client(databaseUrl);
  await admin.connect();
  const database = `bailiff_bench_${randomBytes(4).toString('hex')}`;
  await admin.query(`CREATE DATABASE ${database}`);
  const own = new URL(databaseUrl);
  own.pathname = `/${database}`;
  await admin.end();
  // The database stays until its server is removed: a pool has ended before its connections have closed, and dropping
  // the database would end those.
  return hop(own.href);
}

async function hop(connectionString: string): Promise<number> {
  const pool = new pg.Pool({ connectionString, max: 8 });
  // graphile-worker stops listening for errors of a connection before it has closed.
  forgiveEnds(pool);
  const listener = new pg.Client(connectionString);
  listener.on('error', () => {});
  await listener.connect();
  await listener.query('LISTEN done');
  const logger = new Logger(() => () => {});
  const utils = await makeWorkerUtils({ pgPool: pool, logger });
  await utils.migrate();
  const runner = await run({
    pgPool: pool,
    concurrency: 1,
    noHandleSignals: true,
    logger,
    taskList: {
      perform: async (_payload, { query }) => {
        await query("SELECT pg_notify('done', '')");
      },
    },
  });
  const samples: number[] = [];
  for (let call = 0; call < WARM_UP + CALLS; call += 1) {
    const startedAt = performance.now();
    const done = once(listener, 'notification');
    await pool.query("SELECT graphile_worker.add_job('perform', '{}')");
    await done;
    if (call >= WARM_UP) samples.push(performance.now() - startedAt);
  }
  await runner.stop();
  await utils.release();
  await listener.end();
  await pool.end();
  return median(samples);
}
