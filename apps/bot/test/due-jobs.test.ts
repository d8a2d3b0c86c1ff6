import { EventEmitter, once } from 'node:events';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import { type Runner, run, type WorkerEvents, type WorkerPool } from 'graphile-worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DueJobs, watchDueJobs } from '#src/due-jobs.ts';
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
