import { verifies } from '@bailiff/core/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mint, personOf, type Stage, setStage } from './harness.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage();
});
afterAll(() => stage.close());

/** More than Discord tells a bot of in half a minute. */
const NAMES = 60;

test('names that wait for a limit of Discord fail nothing, and nobody waits for them who is waited for', async () => {
  verifies('approval.subject');
  const { pool } = stage.test.database;
  const { rows: people } = await pool.query<{ id: string }>(
    `SELECT (300000000000000000 + n)::text AS id, graphile_worker.add_job(
        'learn_name', json_build_object('user_id', (300000000000000000 + n)::text), job_key => 'learn_name:' || n, priority => 10)
      FROM generate_series(1, $1) AS n`,
    [NAMES],
  );
  expect(people).toHaveLength(NAMES);
  const left = `SELECT count(*)::int AS names, count(last_error)::int AS failed FROM graphile_worker.jobs
    WHERE task_identifier = 'learn_name'`;
  // What Discord tells at once has been asked for; the others wait.
  await stage.row<{ names: number }>(left, [], ({ names }) => names <= NAMES - 30);

  const token = await mint(stage, 'names');
  const { rows } = await pool.query<{ id: string }>(
    `SELECT request_approval(jsonb_build_object('token_id', $1::text, 'guild_id', $2::text, 'operation', 'bans.add',
        'input', '{}'::jsonb, 'digest', 'd', 'target_type', 'user', 'target_id', $3::text,
        'request_id', 'req_names', 'address', '::1')) AS id`,
    [token.id, stage.guildId, personOf(stage.sandbox, 'member')],
  );
  await stage.row('SELECT FROM approval_requests WHERE id = $1 AND subject IS NOT NULL', [rows[0]?.id]);
  expect(await stage.row(left)).toEqual({ names: expect.toSatisfy((names) => names > 0), failed: 0 });
});
