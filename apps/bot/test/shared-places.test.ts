import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { putOff } from '#src/put-off.ts';
import { SharedPlaces } from '#src/shared-places.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

async function addJob(key: string): Promise<string> {
  const { rows } = await database.database.pool.query<{ id: string }>(
    `SELECT id FROM graphile_worker.add_job('end_ban', json_build_object('case_id', $1::text), job_key => $1)`,
    [key],
  );
  return rows[0]?.id ?? '';
}

test('of the jobs that were put off the first is called up that was not given another time meanwhile', async () => {
  const { pool } = database.database;
  const gate = Promise.withResolvers<void>();
  const run = new SharedPlaces(pool).sharing(
    async () => 'guild',
    () => gate.promise,
  );
  const job = async (key: string) =>
    ({ job: { id: await addJob(key), key, task_identifier: 'end_ban' } }) as Parameters<typeof run>[1];
  const running = [run({}, await job('one')), run({}, await job('two'))];
  for (const key of ['prolonged', 'waiting', 'later']) await run({}, await job(key));
  await pool.query(
    "UPDATE graphile_worker._private_jobs SET run_at = now() + interval '7 days' WHERE key = 'prolonged'",
  );
  gate.resolve();
  await running[0];
  const { rows } = await pool.query(
    `SELECT key, CASE WHEN run_at <= now() THEN 'now' WHEN run_at > now() + interval '6 days' THEN 'in days' ELSE 'soon' END AS "when"
     FROM graphile_worker._private_jobs WHERE key NOT IN ('one', 'two') ORDER BY id`,
  );
  await running[1];
  expect(rows[0]).toEqual({ key: 'prolonged', when: 'in days' });
  expect(rows.slice(1).map(({ when }) => when)).toContain('now');
});

test('a job is put off under its name, unless a newer one has taken that meanwhile', async () => {
  const { pool } = database.database;
  const job = { id: await addJob('running'), key: 'running', task_identifier: 'end_ban' };
  expect(await putOff(pool, job, 60_000)).not.toBeNull();
  // As the queue does with one that runs, when a newer one is added.
  await pool.query('UPDATE graphile_worker._private_jobs SET key = NULL WHERE id = $1', [job.id]);
  expect(await putOff(pool, job, 60_000)).toBeNull();
  const nameless = { ...job, key: null };
  expect(await putOff(pool, nameless, 60_000)).not.toBeNull();
});
