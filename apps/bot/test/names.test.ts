import { verifies } from '@bailiff/core/testing';
import { forgetPerson } from '@bailiff/engine/guilds/forget';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mint, newMember, personOf, type Stage, setStage } from './harness.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage();
});
afterAll(() => stage.close());

test('one job learns the names of all who come on record together, and an id that nobody has is asked for once', async () => {
  verifies('names.together', 'names.seen');
  const { pool } = stage.test.database;
  const disguised = newMember(stage.sandbox, 'Rosa\u202e Lima');
  const people = [...['outsider', 'other_owner'].map((key) => personOf(stage.sandbox, key)), disguised];
  const nobody = '399999999999999999';
  const client = await pool.connect();
  let told = 0;
  client.on('notification', ({ payload = '' }) => {
    if (JSON.parse(payload).kind === 'case') told += 1;
  });
  await client.query('LISTEN bailiff');
  await client.query('BEGIN');
  // A job that somebody else has started looks only when these people are on record.
  await client.query('LOCK TABLE names_to_learn IN EXCLUSIVE MODE');
  await client.query(
    `SELECT (open_case($1, 'ban', 'ban', user_id, 'raid', '1', NULL, NULL)).id FROM unnest($2::text[]) AS user_id`,
    [stage.guildId, [...people, nobody]],
  );
  // The clock starts one too, which may be running. Then there is this one beside it, or that one does all of it.
  const { rows: jobs } = await client.query(
    `SELECT count(*)::int AS all, count(*) FILTER (WHERE locked_at IS NULL)::int AS waiting FROM graphile_worker.jobs
     WHERE task_identifier = 'learn_names'`,
  );
  expect(jobs[0].all).toBeGreaterThan(0);
  expect(jobs[0].waiting).toBeLessThanOrEqual(1);
  await client.query('COMMIT');
  await stage.row('SELECT FROM known_names HAVING count(*) = $1', [people.length]);
  await stage.row('SELECT FROM names_to_learn HAVING count(*) = 0');
  // Pages hear of the cases once, and then of each name.
  await expect.poll(() => told, { timeout: 180_000 }).toBeGreaterThan(people.length);
  await client.query('UNLISTEN bailiff');
  client.removeAllListeners('notification');
  client.release();
  const { rows } = await pool.query('SELECT user_id, display_name FROM known_names');
  expect(rows.map(({ user_id }) => user_id).sort()).toEqual(people.sort());
  expect(rows).toContainEqual({ user_id: disguised, display_name: 'Rosa Lima' });
  const asked = stage.sandbox.requests.filter(({ path }) => path === `/users/${nobody}`);
  expect(asked).toHaveLength(1);
});

test('the name of somebody who is forgotten while Discord is asked for it is not kept', async () => {
  verifies('ops.forget');
  const { database } = stage.test;
  const person = newMember(stage.sandbox, 'Ursa');
  const route = `/users/${person}`;
  const asked = () => stage.sandbox.requests.find(({ path }) => path === route);
  stage.sandbox.control.addFault({ method: 'GET', route, held: true });
  await database.pool.query("SELECT open_case($1, 'ban', 'ban', $2, 'raid', '1', NULL, NULL)", [
    stage.guildId,
    person,
  ]);
  await stage.sandbox.until(() => asked() !== undefined);
  await forgetPerson(database, person, { rehearse: false });
  stage.sandbox.control.clearFaults();
  await stage.row(
    "SELECT FROM graphile_worker.jobs WHERE task_identifier = 'learn_names' HAVING count(*) = 0",
  );
  expect(asked()?.status).toBe(200);
  expect(
    (await database.pool.query("SELECT user_id FROM known_names WHERE display_name = 'Ursa'")).rows,
  ).toEqual([]);
});

test('the name of somebody who is forgotten while what Discord says for a request is stored is not kept', async () => {
  verifies('ops.forget');
  const { database } = stage.test;
  const { pool } = database;
  const person = newMember(stage.sandbox, 'Yara');
  const token = await mint(stage, 'forgotten');
  const waiting = (count: number) =>
    stage.row(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
       HAVING count(*) = $1`,
      [count],
    );
  // The forgetting waits here, and then what was said for the request.
  await pool.query("INSERT INTO names_to_learn (user_id, asked_at) VALUES ($1, now() + interval '1 hour')", [
    person,
  ]);
  const holder = await pool.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT FROM names_to_learn WHERE user_id = $1 FOR UPDATE', [person]);
  const route = `/guilds/${stage.guildId}/members/${person}`;
  stage.sandbox.control.addFault({ method: 'GET', route, held: true });
  await pool.query(
    `SELECT request_approval(jsonb_build_object('token_id', $1::text, 'guild_id', $2::text, 'operation', 'bans.add',
        'input', '{}'::jsonb, 'digest', 'd', 'target_type', 'user', 'target_id', $3::text,
        'request_id', 'req_forgotten', 'address', '::1'))`,
    [token.id, stage.guildId, person],
  );
  await stage.sandbox.until(() => stage.sandbox.requests.some(({ path }) => path === route));
  const forgetting = forgetPerson(database, person, { rehearse: false });
  forgetting.catch(() => {});
  await waiting(1);
  stage.sandbox.control.clearFaults();
  await waiting(2);
  await holder.query('COMMIT');
  holder.release();
  await forgetting;
  await stage.row(
    "SELECT FROM graphile_worker.jobs WHERE task_identifier = 'learn_subject' HAVING count(*) = 0",
  );
  expect((await pool.query("SELECT FROM known_names WHERE display_name = 'Yara'")).rows).toEqual([]);
});

test('ids that are too large for Discord keep no name from being learned', async () => {
  verifies('names.together');
  const { pool } = stage.test.database;
  const person = newMember(stage.sandbox, 'Vera');
  await pool.query(
    `INSERT INTO names_to_learn (user_id, met_at)
     SELECT (17000000000000000000 + n)::text, now() - interval '1 minute' FROM generate_series(1, 10) AS n
     UNION ALL SELECT $1, now()`,
    [person],
  );
  await pool.query("SELECT graphile_worker.add_job('learn_names', job_key => 'learn_names')");
  await stage.row('SELECT FROM known_names WHERE user_id = $1', [person]);
  await stage.row('SELECT FROM names_to_learn HAVING count(*) = 0');
});

test('an outage of Discord loses no name, however long it is, and who comes on record anew is asked for anew', async () => {
  verifies('names.together');
  const { pool } = stage.test.database;
  const { control } = stage.sandbox;
  const [person, again] = [newMember(stage.sandbox, 'Wanda'), newMember(stage.sandbox, 'Xenia')];
  const learn = () => pool.query("SELECT graphile_worker.add_job('learn_names', job_key => 'learn_names')");
  control.addFault({ method: 'GET', route: `/users/${person}`, status: 503, times: null });
  const failed = () =>
    stage.sandbox.requests.filter(({ path, status }) => path === `/users/${person}` && status === 503).length;
  await pool.query('INSERT INTO names_to_learn (user_id) VALUES ($1)', [person]);
  for (let tries = 1; tries <= 5; tries += 1) {
    // The minute is over in which nobody asks again.
    await pool.query('UPDATE names_to_learn SET asked_at = NULL');
    await learn();
    await stage.sandbox.until(() => failed() >= tries);
    await stage.row('SELECT FROM names_to_learn WHERE attempts = 0');
    // A job that is added again while it runs stays behind as a failed one.
    await stage.row('SELECT FROM graphile_worker.jobs HAVING count(locked_at) = 0');
  }
  control.clearFaults();
  await pool.query('UPDATE names_to_learn SET asked_at = NULL');
  await learn();
  await stage.row('SELECT FROM known_names WHERE user_id = $1', [person]);

  await pool.query('INSERT INTO names_to_learn (user_id, attempts) VALUES ($1, 5)', [again]);
  await pool.query("SELECT open_case($1, 'ban', 'ban', $2, 'raid', '1', NULL, NULL)", [stage.guildId, again]);
  await stage.row('SELECT FROM known_names WHERE user_id = $1', [again]);
});

/** More than Discord tells a bot of in ten minutes, for which no machine is too slow. */
const NAMES = 600;

test('names that wait for a limit of Discord fail nothing, and nobody waits for them who is waited for', async () => {
  verifies('approval.subject');
  const { pool } = stage.test.database;
  await pool.query(
    'INSERT INTO names_to_learn (user_id) SELECT (300000000000000000 + n)::text FROM generate_series(1, $1) AS n',
    [NAMES],
  );
  await pool.query("SELECT graphile_worker.add_job('learn_names', job_key => 'learn_names')");
  const left = `SELECT count(*)::int AS names, array(
      SELECT concat_ws(': ', task_identifier, last_error) FROM graphile_worker.jobs WHERE last_error IS NOT NULL) AS failed
    FROM names_to_learn`;
  // What Discord tells at once has been asked for; the others wait.
  await stage.row<{ names: number }>(left, [], ({ names }) => names <= NAMES - 30);

  const token = await mint(stage, 'names');
  const { rows } = await pool.query<{ id: string }>(
    `SELECT request_approval(jsonb_build_object('token_id', $1::text, 'guild_id', $2::text, 'operation', 'bans.add',
        'input', '{}'::jsonb, 'digest', 'd', 'target_type', 'user', 'target_id', $3::text,
        'request_id', 'req_names', 'address', '::1')) AS id`,
    [token.id, stage.guildId, newMember(stage.sandbox, 'Rosa\u202e Lima')],
  );
  const heard = await stage.row<{ subject: object }>(
    'SELECT subject FROM approval_requests WHERE id = $1 AND subject IS NOT NULL',
    [rows[0]?.id],
  );
  expect(JSON.stringify(heard.subject)).toContain('"Rosa Lima"');
  expect(await stage.row(left)).toEqual({ names: expect.toSatisfy((names) => names > 0), failed: [] });
});

test('a guild learns the names of its own channels, and of no other guild’s', async () => {
  const { pool } = stage.test.database;
  const channelOf = (guildId: string) =>
    stage.sandbox
      .getState()
      .guilds.find(({ id }) => id === guildId)
      ?.channels.find(({ type }) => type === 0)?.id ?? '';
  const [own, foreign] = [channelOf(stage.guildId), channelOf(stage.sandbox.otherGuildId)];
  // The bot may not see this one. The job is over with that, and does not run again.
  const hidden = '100000000000000008';
  const body = { code: 50001, message: 'Missing Access' };
  stage.sandbox.control.addFault({
    route: `/channels/${hidden}`,
    method: 'GET',
    status: 403,
    body,
    times: null,
  });
  for (const channel of [foreign, own, hidden]) {
    await pool.query(
      `SELECT graphile_worker.add_job('learn_channel', json_build_object('guild_id', $1::text, 'channel_id', $2::text))`,
      [stage.guildId, channel],
    );
  }
  await stage.row(
    "SELECT FROM graphile_worker.jobs WHERE task_identifier = 'learn_channel' HAVING count(*) = 0",
  );
  const { rows } = await pool.query('SELECT channel_id FROM known_channels');
  expect(rows).toEqual([{ channel_id: own }]);
});
