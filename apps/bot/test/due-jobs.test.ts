import { EventEmitter, once } from 'node:events';
import { verifies } from '@bailiff/core/testing';
import { resumeEscalations } from '@bailiff/engine/worker/escalation-actions';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import { type Runner, run, type WorkerEvents, type WorkerPool } from 'graphile-worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DueJobs, wakeBehindQueuedJobs, watchDueJobs } from '#src/due-jobs.ts';
import {
  checkGuildTierSoon,
  endOverdueBans,
  postUnfinishedCases,
  recoverAfterLeases,
  resumeCases,
  tellReporterLater,
} from '#src/jobs.ts';
import { createLog } from '#src/log.ts';
import { renewLapsingMutes } from '#src/renewing-mutes.ts';

const NEVER_MS = 3_600_000;

let database: TestDatabase;
let runner: Runner;
let dueJobs: DueJobs;
const done = new EventEmitter();
const closing = new AbortController();

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
    taskList: {
      recover: async () => void done.emit('recover'),
      check_server: async (payload) => void done.emit('check_server', payload),
    },
  });
  const [{ workerPool }] = (await created) as [{ workerPool: WorkerPool }];
  const log = createLog('silent', []);
  wakeBehindQueuedJobs(events, database.database.pool, { log, closing: closing.signal });
  // Nobody looks for those of check_server.
  dueJobs = watchDueJobs(database.database.pool, log, (task) =>
    task === 'recover' ? workerPool : undefined,
  );
});
afterAll(async () => {
  closing.abort();
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
  // Not at once. The clock may have stepped back since.
  expect(Date.now()).toBeGreaterThanOrEqual((rows[0]?.at.getTime() ?? 0) - 1_500);
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

test('a job begins once the one before it has left their queue, however long that takes', async () => {
  const { pool } = database.database;
  // On a slow disk the runner looks for the next job before the last one is off the queue.
  await pool.query(
    `CREATE FUNCTION leave_slowly() RETURNS trigger LANGUAGE plpgsql AS
       'BEGIN PERFORM pg_sleep(0.1); RETURN OLD; END';
     CREATE TRIGGER slowly BEFORE DELETE ON graphile_worker._private_jobs
       FOR EACH ROW EXECUTE FUNCTION leave_slowly()`,
  );
  const begun: unknown[] = [];
  const all = new Promise<void>((resolve) =>
    done.on('check_server', (payload) => begun.push(payload) === 3 && resolve()),
  );
  await pool.query(
    "SELECT graphile_worker.add_job('check_server', to_json(n), queue_name => 'one') FROM generate_series(1, 3) AS n",
  );
  await all;
  expect(begun).toEqual([1, 2, 3]);
  await pool.query('DROP TRIGGER slowly ON graphile_worker._private_jobs');
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
    `SELECT key FROM graphile_worker._private_jobs
     WHERE key IN (SELECT 'end_ban:' || id FROM cases WHERE guild_id = '1')`,
  );
  expect(rows).toEqual([{ key: 'end_ban:ban_2' }]);
});

test('an imported ban is lifted at an end that was set here, and for no other change of it', async () => {
  verifies('imports.records-only', 'imports.end-set-here');
  const { pool } = database.database;
  await pool.query("INSERT INTO guilds (id, name, owner_id, tier) VALUES ('14', 'Guild', '2', 'pro')");
  await pool.query(
    `WITH changed (name, by, after) AS (VALUES
       ('reworded', 'act_1', '{"reason": "Spam"}'), ('elsewhere', 'imp_14', '{"expires_at": null}'),
       ('here', 'act_2', '{"expires_at": null, "reason": "Spam"}')),
     opened AS (
       INSERT INTO cases (id, guild_id, case_number, kind, user_id, issued_by, expires_at, import_id)
       SELECT 'ban_' || name, '14', row_number() OVER (), 'ban', '3', '2', now() - interval '1 hour', 'imp_14'
       FROM changed)
     INSERT INTO case_changes (guild_id, case_id, action_id, changed_by, before, after)
     SELECT '14', 'ban_' || name, by, '2', '{}', after::jsonb FROM changed`,
  );
  const ends = "key IN (SELECT 'end_ban:' || id FROM cases WHERE guild_id = '14')";
  await pool.query(`DELETE FROM graphile_worker._private_jobs WHERE ${ends}`);
  await endOverdueBans(pool);
  const { rows } = await pool.query(`SELECT key FROM graphile_worker._private_jobs WHERE ${ends}`);
  expect(rows).toEqual([{ key: 'end_ban:ban_here' }]);
});

test('bans that ran out where the bot has left wait until it is back, and one a guild that could not be lifted is tried', async () => {
  verifies('bot.ban.not-ended');
  const { pool } = database.database;
  await pool.query(
    `INSERT INTO guilds (id, name, owner_id, tier, left_at)
     VALUES ('17', 'Guild', '2', 'pro', NULL), ('18', 'Guild', '2', 'pro', NULL), ('19', 'Guild', '2', 'pro', now())`,
  );
  await pool.query(
    `INSERT INTO cases (id, guild_id, case_number, kind, user_id, issued_by, expires_at, end_failed_at)
     SELECT 'ban_' || guild || '_' || n, guild, n, 'ban', '3', '2', now() - interval '2 hours',
       CASE WHEN n > 2 OR guild = '18' THEN now() - interval '1 hour' END
     FROM unnest(ARRAY['17', '18', '19']) AS guild, generate_series(1, 5) AS n`,
  );
  const tried = async () => {
    await pool.query("DELETE FROM graphile_worker._private_jobs WHERE key LIKE 'end_ban:%'");
    await endOverdueBans(pool);
    const { rows } = await pool.query<{ guild_id: string; refused: number; others: number }>(
      `SELECT guild_id, count(end_failed_at)::int AS refused, count(*)::int - count(end_failed_at)::int AS others
       FROM cases JOIN graphile_worker._private_jobs ON key = 'end_ban:' || cases.id
       WHERE guild_id IN ('17', '18', '19') GROUP BY guild_id ORDER BY guild_id`,
    );
    return rows;
  };
  const there = [
    { guild_id: '17', refused: 1, others: 2 },
    { guild_id: '18', refused: 1, others: 0 },
  ];
  expect(await tried()).toEqual(there);
  await pool.query("UPDATE guilds SET left_at = NULL WHERE id = '19'");
  expect(await tried()).toEqual([...there, { guild_id: '19', refused: 1, others: 2 }]);
});

test('each hour, mutes are renewed whose timeout is about to lapse or was refused, and no others', async () => {
  verifies('bot.mute.renewed', 'imports.records-only');
  const { pool } = database.database;
  await pool.query(
    `INSERT INTO guilds (id, name, owner_id, tier, left_at)
     VALUES ('21', 'Guild', '2', 'pro', NULL), ('22', 'Left', '2', 'pro', now())`,
  );
  // Hours until the timeout lapses and until the mute ends.
  await pool.query(
    `INSERT INTO cases (id, guild_id, case_number, kind, user_id, issued_by, timeout_until, expires_at, end_failed_at,
       ended_at, import_id)
     SELECT 'mut_' || name, guild_id, row_number() OVER (), 'mute', '3', '2', now() + make_interval(hours => lapses),
       now() + make_interval(hours => ends), CASE WHEN failed THEN now() END, CASE WHEN ended THEN now() END, import_id
     FROM (VALUES
       ('lapses', '21', 20, 2000, false, false, NULL), ('lapsed', '21', -20, 2000, false, false, NULL),
       ('refused', '21', 600, 700, true, false, NULL), ('refused_anew', '21', NULL, 2000, true, false, NULL),
       ('lasts', '21', 600, 2000, false, false, NULL), ('ends', '21', 20, 20, false, false, NULL),
       ('gone', '21', NULL, 2000, false, false, NULL), ('over', '21', -20, -10, true, false, NULL),
       ('lifted', '21', 20, 2000, true, true, NULL), ('imported', '21', 20, 2000, false, false, 'imp_21'),
       ('left', '22', 20, 2000, true, false, NULL)
     ) AS mutes (name, guild_id, lapses, ends, failed, ended, import_id)`,
  );
  await renewLapsingMutes(pool);
  const { rows } = await pool.query<{ key: string }>(
    "SELECT key FROM graphile_worker.jobs WHERE key LIKE 'renew_mute:%' ORDER BY key",
  );
  const renewed = ['lapsed', 'lapses', 'refused', 'refused_anew'];
  expect(rows.map(({ key }) => key)).toEqual(renewed.map((name) => `renew_mute:mut_${name}`));
});

test('what strikes lead to comes before the ends of bans, however long these have waited', async () => {
  verifies('bot.fairness');
  const { pool } = database.database;
  await pool.query("INSERT INTO guilds (id, name, owner_id, tier) VALUES ('15', 'Guild', '2', 'pro')");
  await pool.query(
    `INSERT INTO cases (id, guild_id, case_number, kind, user_id, issued_by, expires_at)
     VALUES ('ban_over', '15', 1, 'ban', '3', '2', now() - interval '1 hour'),
       ('str_due', '15', 2, 'strike', '4', '2', NULL), ('str_new', '15', 3, 'strike', '5', '2', NULL)`,
  );
  await pool.query(
    "INSERT INTO escalations (strike_id, guild_id, points, sanction) VALUES ('str_due', '15', 3, 'ban')",
  );
  await endOverdueBans(pool);
  await resumeEscalations(database.database);
  await pool.query("SELECT ask_bot('escalate', 'str_new')");
  const { rows } = await pool.query<{ key: string }>(
    `SELECT key FROM graphile_worker.jobs WHERE key IN ('end_ban:ban_over', 'escalate:str_due', 'escalate:str_new')
     ORDER BY priority, run_at, id`,
  );
  expect(rows.map(({ key }) => key)).toEqual(['escalate:str_due', 'escalate:str_new', 'end_ban:ban_over']);
});

test('what a strike leads to is queued again when it is time to try it, and until then others have its place', async () => {
  verifies('H28');
  const { pool } = database.database;
  await pool.query("INSERT INTO guilds (id, name, owner_id, tier) VALUES ('16', 'Guild', '2', 'pro')");
  await pool.query(
    `INSERT INTO escalations (strike_id, guild_id, points, sanction, attempts, created_at)
     SELECT 'str_' || tried || '_' || minutes, '16', 3, 'ban', tried, now() - make_interval(mins => minutes)
     FROM (VALUES (0, 0), (1, 0), (2, 1), (2, 5), (3, 5), (3, 20), (4, 20), (4, 70), (5, 70)) AS e (tried, minutes)`,
  );
  // Both were tried three times. The one whose outcome is unclear is looked at without a pause.
  await pool.query(
    `WITH ended (name, state, outcome) AS (VALUES ('unclear', 'unknown', 'unknown'), ('away', 'cancelled', 'not_performed')),
     acted AS (
       INSERT INTO actions (id, guild_id, operation, input, digest, state, error, actor_source, actor_user_id, request_id,
         claim_by)
       SELECT 'act_' || name, '16', 'bans.add', '{}', '', state::"ActionState",
         json_build_object('details', json_build_object('outcome', outcome)), 'system', '1', 'req_' || name, now() FROM ended)
     INSERT INTO escalations (strike_id, guild_id, points, sanction, attempts, action_id, created_at)
     SELECT 'str_' || name, '16', 3, 'ban', 3, 'act_' || name, now() - interval '5 minutes' FROM ended`,
  );
  await resumeEscalations(database.database);
  const { rows } = await pool.query<{ strike: string }>(
    `SELECT payload->>'strike_id' AS strike FROM graphile_worker._private_jobs
     WHERE payload->>'strike_id' IN (SELECT strike_id FROM escalations WHERE guild_id = '16') ORDER BY 1`,
  );
  expect(rows.map(({ strike }) => strike)).toEqual([
    'str_0_0',
    'str_1_0',
    'str_2_5',
    'str_3_20',
    'str_4_70',
    'str_5_70',
    'str_unclear',
  ]);
});

test('who made a report is told later for an hour after it was closed, and not then any more', async () => {
  verifies('reports.answer');
  const { pool } = database.database;
  await pool.query("INSERT INTO guilds (id, name, owner_id, tier) VALUES ('11', 'Guild', '2', 'pro')");
  const isLater = async (number: number, minutes: number) => {
    const { rows } = await pool.query<{ id: string }>(
      `INSERT INTO reports (guild_id, number, user_id, reported_by, reason, status, closed_by, closed_at)
       VALUES ('11', $1, '3', '4', 'Spam', 'closed', '2', now() - make_interval(mins => $2)) RETURNING id`,
      [number, minutes],
    );
    return tellReporterLater(pool, { guildId: '11', reportId: rows[0]?.id ?? '' });
  };
  expect([await isLater(1, 59), await isLater(2, 61)]).toEqual([true, false]);
});

test('the posts of cases that a lost bot was writing are finished for a day, and no other is written again', async () => {
  verifies('bot.log-actions');
  const { pool } = database.database;
  await pool.query("INSERT INTO guilds (id, name, owner_id, tier) VALUES ('12', 'Guild', '2', 'pro')");
  await pool.query(
    `WITH posts (number, hours_ago, busy_minutes, message_id) AS (VALUES
       (1, 23, NULL, NULL), (2, 25, NULL, NULL), (3, 1, -1, '9'), (4, 1, NULL, '9'), (5, 1, 1, '9')),
     opened AS (
       INSERT INTO cases (id, guild_id, case_number, kind, user_id, issued_by)
       SELECT 'str_' || number, '12', number, 'strike', '3', '2' FROM posts)
     INSERT INTO case_posts (case_id, channel_id, began_at, busy_until, message_id)
     SELECT 'str_' || number, '5', now() - make_interval(hours => hours_ago),
       now() + make_interval(mins => busy_minutes), message_id FROM posts`,
  );
  await pool.query("DELETE FROM graphile_worker._private_jobs WHERE key LIKE 'post_case:%'");
  await postUnfinishedCases(pool);
  const { rows } = await pool.query(
    "SELECT key FROM graphile_worker._private_jobs WHERE key LIKE 'post_case:%' ORDER BY key",
  );
  expect(rows).toEqual([{ key: 'post_case:str_1' }, { key: 'post_case:str_3' }]);
});

test('a bot that starts posts the reports of a day that have no post, and fetches the files that are not there', async () => {
  verifies('reports.queue', 'evidence.crash');
  const { pool } = database.database;
  await pool.query("INSERT INTO guilds (id, name, owner_id, tier) VALUES ('13', 'Guild', '2', 'pro')");
  await pool.query(
    `INSERT INTO reports (id, guild_id, number, user_id, reported_by, reason, reported_at, post_message_id)
     VALUES ('rpt_lost', '13', 1, '3', '4', 'Spam', now() - interval '23 hours', NULL),
       ('rpt_old', '13', 2, '3', '4', 'Spam', now() - interval '25 hours', NULL),
       ('rpt_posted', '13', 3, '3', '4', 'Spam', now(), '9')`,
  );
  await pool.query(
    `INSERT INTO evidence (guild_id, action_id, name, size_bytes, url, problem)
     VALUES ('13', 'act_lost', 'a.png', 1, 'https://cdn.discordapp.com/a', NULL),
       ('13', 'act_lost', 'b.png', 1, 'https://cdn.discordapp.com/b', NULL),
       ('13', 'act_over', 'c.png', 1, NULL, 'unread')`,
  );
  await pool.query("DELETE FROM graphile_worker._private_jobs WHERE key LIKE 'post_report:%'");
  await resumeCases(pool);
  const { rows } = await pool.query(
    `SELECT key FROM graphile_worker._private_jobs WHERE key LIKE 'fetch_evidence:%'
       OR key IN (SELECT 'post_report:' || id FROM reports WHERE guild_id = '13') ORDER BY key`,
  );
  expect(rows).toEqual([{ key: 'fetch_evidence:act_lost' }, { key: 'post_report:rpt_lost' }]);
});

test('a bot that starts looks at what another one left running once its latest time is over', async () => {
  const { pool } = database.database;
  const job = async () => {
    await recoverAfterLeases(pool);
    return (await pool.query("SELECT run_at FROM graphile_worker._private_jobs WHERE key = 'recover_leases'"))
      .rows;
  };
  expect(await job()).toEqual([]);
  await pool.query("INSERT INTO guilds (id, name, owner_id, tier) VALUES ('31', 'Guild', '2', 'pro')");
  const { rows } = await pool.query(
    `INSERT INTO actions (guild_id, operation, input, digest, state, actor_source, actor_user_id, request_id, claim_by,
       lease_expires_at)
     SELECT '31', 'bans.add', '{}', '', state::"ActionState", 'chat', '2', 'req_1', now(), now() + hours * interval '1 hour'
     FROM (VALUES ('running', 1), ('running', 2), ('done', 3)) AS held (state, hours)
     RETURNING state, lease_expires_at + interval '1 second' AS run_at`,
  );
  expect(await job()).toEqual([{ run_at: rows[1].run_at }]);
});

test('what is to be asked about what guilds have bought is asked once for each of them', async () => {
  verifies('tier.entitlement');
  const { pool } = database.database;
  for (const guildId of ['41', '42', '41']) await checkGuildTierSoon(pool, guildId);
  const { rows } = await pool.query<{ guild_id: string }>(
    "SELECT payload->>'guild_id' AS guild_id FROM graphile_worker._private_jobs WHERE key LIKE 'guild_tier%' ORDER BY 1",
  );
  expect(rows.map(({ guild_id }) => guild_id)).toEqual(['41', '42']);
});
