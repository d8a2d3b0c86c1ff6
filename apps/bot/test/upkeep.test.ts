import { untilShown, verifies } from '@bailiff/core/testing';
import { forgetGuild } from '@bailiff/engine/guilds/forget';
import { parseCrontab } from 'graphile-worker';
import { expect, test } from 'vitest';
import { createDiscordApi } from '#src/discord-api.ts';
import { checkIssuers } from '#src/issuers.ts';
import { createLog } from '#src/log.ts';
import { startUpkeep } from '#src/upkeep.ts';
import { CRONTAB } from '#src/worker.ts';
import { guildForEachTest } from './each-test.ts';
import { bot, configFor, grant, personOf, type Stage } from './harness.ts';
import { isLive, issueToken, runJob, sql } from './upkeep-support.ts';

let stage: Stage;
guildForEachTest((next) => {
  stage = next;
});

const FRESH = 'SELECT mirror_fresh AS fresh FROM live_guilds WHERE id = $1';
const MEMBER = 'SELECT FROM members WHERE guild_id = $1 AND user_id = $2';
const moderator = () => [stage.guildId, personOf(stage.sandbox, 'moderator')];

const untilRevoked = (tokenId: string, reason: string) =>
  stage.row('SELECT FROM tokens WHERE id = $1 AND revoked_reason = $2::"RevokedReason"', [tokenId, reason]);

/**
 * What the mirror is left with when the gateway swallows a departure.
 *
 * @param meanwhile what is so before they have a token: the clock may start a sweep at any moment
 * @returns their token
 */
async function leaveUnheard(meanwhile = () => {}): Promise<string> {
  const { now } = await stage.row<{ now: string }>('SELECT clock_timestamp()::text AS now');
  await grant(stage, 'Moderator', ['bans.write']);
  // The comparison that this begins must not come upon what follows.
  await stage.row('SELECT FROM guilds WHERE id = $1 AND mirrored_at > $2::timestamptz', [stage.guildId, now]);
  await stage.row(MEMBER, moderator());
  stage.sandbox.control.members({ action: 'leave', user: 'moderator' });
  await stage.row(`${MEMBER} HAVING count(*) = 0`, moderator());
  await sql(
    stage,
    `INSERT INTO members (guild_id, user_id, username, display_name, role_ids)
     SELECT $1, $2, 'juno.okafor', 'Juno Okafor', array_agg(id) FROM roles WHERE guild_id = $1 AND name = 'Moderator'`,
    ...moderator(),
  );
  meanwhile();
  return issueToken(stage, 'moderator');
}

test('an issuer who left without a word of the gateway is found by the sweep, and their tokens are revoked', async () => {
  verifies('revocation.automatic-audit', 'revocation.issuer-leaves', 'G13');
  const token = await leaveUnheard();
  const kept = await issueToken(stage, 'owner');
  await runJob(stage, 'check_issuers');
  await untilRevoked(token, 'issuer_left');
  expect(
    await sql(
      stage,
      "SELECT actor_source, details FROM audit WHERE operation = 'tokens.revoke' AND token_id = $1",
      token,
    ),
  ).toEqual([{ actor_source: 'system', details: { reason: 'issuer_left' } }]);
  await stage.row(`${MEMBER} HAVING count(*) = 0`, moderator());
  expect(await isLive(stage, kept)).toBe(true);
  // Others come before them in the next run.
  await stage.row('SELECT FROM tokens WHERE id = $1 AND issuer_checked_at IS NOT NULL', [kept]);
});

test('an issuer whom Discord no longer knows at all is found by the sweep', async () => {
  verifies('revocation.issuer-leaves');
  const token = await leaveUnheard();
  const body = { message: 'Unknown User', code: 10_013 };
  stage.sandbox.control.addFault({
    method: 'GET',
    route: '/guilds/*/members/*',
    times: null,
    status: 404,
    body,
  });
  await runJob(stage, 'check_issuers');
  await untilRevoked(token, 'issuer_left');
  stage.sandbox.control.clearFaults();
});

test('an issuer whom only the mirror lacks is found by the sweep, and keeps the token', async () => {
  verifies('revocation.issuer-leaves');
  const member = [stage.guildId, personOf(stage.sandbox, 'member')];
  await stage.row(`${MEMBER} HAVING count(*) = 0`, member);
  const token = await issueToken(stage, 'member');
  await runJob(stage, 'check_issuers');
  await stage.row(MEMBER, member);
  expect(await isLive(stage, token)).toBe(true);
});

test.each([
  ['says 503', { status: 503 }],
  ['says that the guild is unknown', { status: 404, body: { message: 'Unknown Guild', code: 10004 } }],
  ['has no access', { status: 403, body: { message: 'Missing Access', code: 50001 } }],
  ['cuts the connection', { socket: 'reset' as const }],
])('while Discord %s, nobody counts as gone', async (_what, fault) => {
  verifies('H22');
  const token = await leaveUnheard(() => {
    stage.sandbox.control.addFault({ method: 'GET', route: '/guilds/**', times: null, ...fault });
  });
  expect(await runJob(stage, 'check_issuers')).not.toBeNull();
  expect(await isLive(stage, token)).toBe(true);
  stage.sandbox.control.clearFaults();
  await runJob(stage, 'check_issuers');
  await untilRevoked(token, 'issuer_left');
});

test('an issuer about whom Discord says nothing keeps nobody from finding the others', async () => {
  verifies('revocation.issuer-leaves', 'H22');
  const kept = await issueToken(stage, 'owner');
  const token = await leaveUnheard();
  const route = `/guilds/*/members/${personOf(stage.sandbox, 'owner')}`;
  const body = { message: 'Missing Access', code: 50001 };
  stage.sandbox.control.addFault({ method: 'GET', route, times: null, status: 403, body });
  for (const _run of [1, 2]) await runJob(stage, 'check_issuers');
  await untilRevoked(token, 'issuer_left');
  expect(await isLive(stage, kept)).toBe(true);
  stage.sandbox.control.clearFaults();
});

test('an issuer who was not asked about, because the time of a run was over, is one of the first in the next', async () => {
  verifies('revocation.issuer-leaves');
  const { apiUrl, botToken } = stage.sandbox;
  const api = createDiscordApi({ token: botToken, apiUrl, log: createLog('silent', []) });
  const over = AbortSignal.abort();
  await untilShown(async () => {
    const token = await issueToken(stage, 'owner');
    await expect(checkIssuers({ db: stage.test.database, api }, over)).rejects.toThrow();
    const [row] = await sql(stage, 'SELECT issuer_checked_at AS at FROM tokens WHERE id = $1', token);
    // The clock may have started a run meanwhile, which had the time.
    return row.at === null ? token : null;
  });
});

test('while a guild is not trusted, Discord is asked about none of its issuers', async () => {
  verifies('H22');
  await sql(stage, 'UPDATE guilds SET mirrored_at = NULL WHERE id = $1', stage.guildId);
  await issueToken(stage, 'moderator');
  const about = `/guilds/${stage.guildId}/members/`;
  const asked = () => stage.sandbox.requests.filter(({ path }) => path.startsWith(about)).length;
  const before = asked();
  await runJob(stage, 'check_issuers');
  expect(asked()).toBe(before);
});

test('a list of members that is empty revokes nothing', async () => {
  verifies('H22');
  const token = await issueToken(stage, 'owner');
  stage.sandbox.control.addFault({
    method: 'GET',
    route: '/guilds/*/members',
    times: 2,
    status: 200,
    body: [],
  });
  await runJob(stage, 'mirror_guild', { guild_id: stage.guildId });
  expect(await isLive(stage, token)).toBe(true);
  await stage.row(MEMBER, [stage.guildId, personOf(stage.sandbox, 'owner')]);
});

test('a guild that Discord describes without roles keeps its grants', async () => {
  verifies('H22');
  await grant(stage, 'Moderator', ['bans.write']);
  await stage.row(MEMBER, moderator());
  const guild = stage.sandbox.getState().guilds.find(({ id }) => id === stage.guildId);
  const body = { id: stage.guildId, name: 'Harbourlight', icon: null, owner_id: guild?.owner_id, roles: [] };
  stage.sandbox.control.addFault({ method: 'GET', route: '/guilds/*', status: 200, body });
  await sql(stage, "UPDATE guilds SET mirrored_at = now() - interval '1 day' WHERE id = $1", stage.guildId);
  await runJob(stage, 'mirror_guild', { guild_id: stage.guildId });
  // The job does not wait for the comparison that it begins, nor for the next one if that fails.
  await stage.row("SELECT FROM guilds WHERE id = $1 AND mirrored_at > now() - interval '1 hour'", [
    stage.guildId,
  ]);
  expect(await sql(stage, 'SELECT FROM role_grants WHERE guild_id = $1', stage.guildId)).toHaveLength(1);
});

test('an issuer whose role is taken loses the token after a day, and not before', async () => {
  verifies('revocation.automatic-audit');
  await grant(stage, 'Moderator', ['bans.write']);
  await stage.row(MEMBER, moderator());
  const token = await issueToken(stage, 'moderator');
  stage.sandbox.control.members({ action: 'remove_role', user: 'moderator', role: 'Moderator' });
  await stage.row(
    `${MEMBER} AND NOT role_ids && ARRAY(SELECT id FROM roles WHERE name = 'Moderator')`,
    moderator(),
  );
  await runJob(stage, 'lost_capabilities');
  await stage.row('SELECT FROM tokens WHERE id = $1 AND capability_lost_at IS NOT NULL', [token]);
  expect(await isLive(stage, token)).toBe(true);
  await sql(
    stage,
    "UPDATE tokens SET capability_lost_at = capability_lost_at - interval '24 hours 1 minute'",
  );
  await runJob(stage, 'lost_capabilities');
  await untilRevoked(token, 'capabilities_lost');
  await stage.row("SELECT FROM audit WHERE operation = 'tokens.revoke' AND token_id = $1", [token]);
});

test('a day of outage takes no token away', async () => {
  verifies('H22');
  await grant(stage, 'Moderator', ['bans.write']);
  await stage.row(MEMBER, moderator());
  const token = await issueToken(stage, 'moderator');
  stage.sandbox.control.gateway({ action: 'unavailable' });
  await stage.row<{ fresh: boolean }>(FRESH, [stage.guildId], ({ fresh }) => !fresh);
  await sql(stage, 'DELETE FROM members');
  await sql(
    stage,
    "UPDATE tokens SET capability_lost_at = now() - interval '25 hours', capability_lost_seen_at = now()",
  );
  await runJob(stage, 'lost_capabilities');
  await runJob(stage, 'check_issuers');
  expect(await isLive(stage, token)).toBe(true);
  stage.sandbox.control.gateway({ action: 'available' });
  await stage.row<{ fresh: boolean }>(FRESH, [stage.guildId], ({ fresh }) => fresh);
  await runJob(stage, 'lost_capabilities');
  expect(await isLive(stage, token)).toBe(true);
});

test('the clock starts each job that nothing else starts, and names in case a start was missed', async () => {
  const scheduled = parseCrontab(CRONTAB).map(({ task }) => task);
  const everyMinute = ['recover', 'check_issuers', 'lost_capabilities'];
  expect(scheduled.toSorted()).toEqual(
    [
      ...everyMinute,
      'overdue_bans',
      'learn_names',
      'audit_partitions',
      'tiers',
      'require_rotation',
      'housekeeping',
    ].toSorted(),
  );
  // The worker takes them all over, some moments after its start.
  const known = await stage.row<{ tasks: string[] }>(
    'SELECT array_agg(identifier) AS tasks FROM graphile_worker._private_known_crontabs HAVING count(*) >= $1',
    [scheduled.length],
  );
  expect(known.tasks.toSorted()).toEqual(scheduled.toSorted());
  const startedAt = (minute: number, hour: number) =>
    parseCrontab(CRONTAB)
      .filter(({ match }) => match({ min: minute, hour, date: 1, month: 1, dow: 1 }))
      .map(({ task }) => task);
  expect(startedAt(1, 1)).toEqual(everyMinute);
  expect(startedAt(5, 1)).toEqual([...everyMinute, 'tiers']);
  expect(startedAt(30, 1)).toEqual([...everyMinute, 'tiers', 'housekeeping']);
  expect(startedAt(0, 3)).toEqual([...everyMinute, 'tiers', 'require_rotation']);
  expect(startedAt(10, 0)).toContain('audit_partitions');
  for (const hour of [0, 1, 13, 23]) {
    for (const minute of [7, 17, 27, 37, 47, 57]) expect(startedAt(minute, hour)).toContain('learn_names');
    for (const [minute, task] of [
      [10, 'audit_partitions'],
      [20, 'overdue_bans'],
      [30, 'housekeeping'],
    ] as const) {
      expect(startedAt(minute, hour)).toContain(task);
    }
  }
  // What would come only the next day is made up for when the bot was away.
  const madeUp = parseCrontab(CRONTAB).filter(({ options }) => options.backfillPeriod > 0);
  expect(madeUp.map(({ task, options }) => [task, options.backfillPeriod])).toEqual([
    ['require_rotation', 86_400_000],
  ]);
});

test('a bot that starts looks for what was bought and for actions without an end, and does not wait for the clock', async () => {
  await stage.bot.stop();
  const { signal } = new AbortController();
  const log = createLog('silent', []);
  await startUpkeep({ engine: stage.engine, log, auditReadRetentionDays: 30, signal });
  const queued =
    "SELECT key FROM graphile_worker.jobs WHERE key IN ('recover_start', 'tiers_start') ORDER BY key";
  expect(await sql(stage, queued)).toEqual([{ key: 'recover_start' }, { key: 'tiers_start' }]);
});

/** Today by the clock of the database, in UTC. */
async function today(): Promise<string> {
  const [row] = await sql(stage, "SELECT (now() AT TIME ZONE 'UTC')::date::text AS day");
  return row.day;
}

/** Runs part of a test, and again if it failed because midnight came meanwhile. */
async function withinOneDay(run: () => Promise<void>): Promise<void> {
  const day = await today();
  try {
    await run();
  } catch (error) {
    if ((await today()) === day) throw error;
    await run();
  }
}

/** As if audited reads had been kept since so many days ago, of which the youngest are there anyway. */
const keepReads = (from: number, to: number) =>
  sql(
    stage,
    `DO $$ DECLARE today date := (now() AT TIME ZONE 'UTC')::date; BEGIN FOR days IN ${from}..${to} LOOP
       EXECUTE format('CREATE TABLE IF NOT EXISTS audit_reads_%s PARTITION OF audit_reads FOR VALUES FROM (%L) TO (%L)',
         to_char(today - days, 'YYYYMMDD'), (today - days)::timestamp AT TIME ZONE 'UTC',
         (today - days + 1)::timestamp AT TIME ZONE 'UTC');
     END LOOP; END $$`,
  );

/** How old the reads are that are still kept, in days. */
async function keptReads(): Promise<number[]> {
  const kept = await sql(
    stage,
    `SELECT today - to_date(right(relname, 8), 'YYYYMMDD') AS days
     FROM pg_class, (SELECT (now() AT TIME ZONE 'UTC')::date AS today) AS clock
     WHERE relkind = 'r' AND relname ~ '^audit_reads_\\d{8}$'
       AND to_date(right(relname, 8), 'YYYYMMDD') < today - 7
     ORDER BY 1`,
  );
  return kept.map(({ days }) => days);
}

test('reads are kept in the audit log for 30 days unless it is set otherwise', async () => {
  verifies('audit.read-retention');
  await withinOneDay(async () => {
    await keepReads(29, 32);
    expect(await runJob(stage, 'audit_partitions')).toBeNull();
    expect(await keptReads()).toEqual([29, 30]);
  });
});

test('reads are kept in the audit log for as long as the operator says, from the start of the bot on', async () => {
  verifies('audit.read-retention');
  await stage.bot.stop();
  // Other tests leave younger ones.
  const oldReads = async () => (await keptReads()).filter((days) => days > 33);
  const days = { AUDIT_READ_RETENTION_DAYS: '60' };
  await withinOneDay(async () => {
    await keepReads(59, 62);
    const again = await bot(configFor(stage.sandbox, stage.test.processUrls.bot, days));
    try {
      await again.settled;
      expect(await oldReads()).toEqual([59, 60]);
      await keepReads(61, 62);
      expect(await runJob(stage, 'audit_partitions')).toBeNull();
      expect(await oldReads()).toEqual([59, 60]);
    } finally {
      await again.stop();
    }
  });
});

test('an appeal against a mute that has ended by itself is over, as a job finds', async () => {
  verifies('appeals.accepted-by-lifting');
  const [userId, by] = [personOf(stage.sandbox, 'troll'), personOf(stage.sandbox, 'moderator')];
  await sql(
    stage,
    "SELECT open_case($1, 'mute', 'mut', $2, 'Spam', $3, 5, NULL)",
    ...[stage.guildId, userId, by],
  );
  await sql(
    stage,
    "UPDATE cases SET expires_at = now() - interval '1 second' WHERE guild_id = $1",
    stage.guildId,
  );
  await sql(
    stage,
    `INSERT INTO appeals (guild_id, case_id, user_id, answers, language)
     SELECT guild_id, id, user_id, '[]', 'en' FROM cases WHERE guild_id = $1`,
    stage.guildId,
  );
  expect(await runJob(stage, 'housekeeping')).toBeNull();
  const of = 'SELECT state FROM appeals WHERE guild_id = $1';
  expect(await sql(stage, of, stage.guildId)).toEqual([{ state: 'over' }]);
});

test('a guild that the bot left 90 days ago is forgotten by a job, and one that it left later is not', async () => {
  verifies('ops.deleted-guild');
  await sql(
    stage,
    `INSERT INTO guilds (id, name, owner_id, tier, left_at) VALUES
       ('399999999999999998', 'Long gone', '1', 'free', now() - interval '91 days'),
       ('399999999999999999', 'Just gone', '1', 'free', now() - interval '89 days')`,
  );
  expect(await runJob(stage, 'housekeeping')).toBeNull();
  const left = "SELECT name FROM guilds WHERE id LIKE '3999999999999999%'";
  expect(await sql(stage, left)).toEqual([{ name: 'Just gone' }]);
  await forgetGuild(stage.test.database, '399999999999999999');
});

test('what has lapsed is dropped by a job', async () => {
  await sql(
    stage,
    `INSERT INTO device_authorizations (device_code_hash, user_code, client_id, address, expires_at)
     VALUES ('x', 'BCDFGHJK', 'bailiff-mcp', '203.0.113.9', now() - interval '2 days')`,
  );
  expect(await runJob(stage, 'housekeeping')).toBeNull();
  expect(await sql(stage, 'SELECT FROM device_authorizations')).toEqual([]);
});
