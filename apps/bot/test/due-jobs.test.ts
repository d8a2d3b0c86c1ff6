import { EventEmitter, once } from 'node:events';
import { verifies } from '@bailiff/core/testing';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import { type Runner, run, type WorkerEvents, type WorkerPool } from 'graphile-worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DueJobs, watchDueJobs } from '#src/due-jobs.ts';
import { endOverdueBans } from '#src/jobs.ts';
import { createLog } from '#src/log.ts';

const NEVER_MS = 3_600_000;

let database: TestDatabase;
let runner: Runner;
let dueJobs: DueJobs;
const done = new EventEmitter();

beforeAll(async () => {
  database = await createTestDatabase();
  const events: WorkerEvents = new EventEmitter();
  const created = once(events, 'pool:create');
  // It looks for jobs only when it is woken.
  runner = await run({
    connectionString: database.url,
    events,
    pollInterval: NEVER_MS,
    noHandleSignals: true,
    parsedCronItems: [],
    taskList: { recover: async () => void done.emit('recover') },
  });
  const [{ workerPool }] = (await created) as [{ workerPool: WorkerPool }];
  const log = createLog('silent', []);
  dueJobs = watchDueJobs(database.database.pool, log, (task) =>
    task === 'recover' ? workerPool : undefined,
  );
});
afterAll(async () => {
  await dueJobs.stop();
  await runner.stop();
  await database.drop();
});

test('a job begins when its time has come, though nothing tells of it then', async () => {
  const begun = once(done, 'recover');
  const { rows } = await database.database.pool.query<{ at: Date }>(
    `SELECT run_at AS at FROM graphile_worker.add_job('recover', '{}', run_at => now() + interval '2 seconds')`,
  );
  await begun;
  expect(Date.now()).toBeGreaterThanOrEqual((rows[0]?.at.getTime() ?? 0) - 100);
});

test('one whose notification was lost begins too', async () => {
  const begun = once(done, 'recover');
  // A row alone sends no notification.
  await database.database.pool.query(
    `INSERT INTO graphile_worker._private_jobs (task_id, payload)
     SELECT id, '{}' FROM graphile_worker._private_tasks WHERE identifier = 'recover'`,
  );
  await begun;
});

test('the end of an imported ban lifts nothing at Discord, the end of any other does', async () => {
  verifies('imports.records-only');
  const { pool } = database.database;
  await pool.query("INSERT INTO guilds (id, name, owner_id, tier) VALUES ('1', 'Guild', '2', 'pro')");
  await pool.query(
    `INSERT INTO cases (id, guild_id, case_number, kind, user_id, issued_by, expires_at, import_id)
     SELECT 'ban_' || n, '1', n, 'ban', '3', '2', now() - interval '1 hour', CASE WHEN n = 1 THEN 'imp_1' END
     FROM generate_series(1, 2) AS n`,
  );
  await endOverdueBans(pool);
  const { rows } = await pool.query(
    "SELECT key FROM graphile_worker._private_jobs WHERE key LIKE 'end_ban:%'",
  );
  expect(rows).toEqual([{ key: 'end_ban:ban_2' }]);
});
