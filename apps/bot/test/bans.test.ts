import { actionIdInReason } from '@bailiff/core';
import { untilShown, verifies } from '@bailiff/core/testing';
import { expect, test } from 'vitest';
import { soonEnough } from './attempts.ts';
import { guildForEachTest } from './each-test.ts';
import { bot, grant, limitPerforming, newMember, personOf, refusalOf, type Stage } from './harness.ts';

let stage: Stage;
const { spoil } = guildForEachTest((next) => {
  stage = next;
});

const BAN_ROUTE = '/guilds/*/bans/*';

function ban(name: string, more: object = {}, by = 'owner') {
  return stage.act('bans.add', by, { user_id: personOf(stage.sandbox, name), reason: 'Spam', ...more });
}

function bansOf(name: string) {
  const id = personOf(stage.sandbox, name);
  return stage.sandbox
    .getState()
    .guilds.find((guild) => guild.id === stage.guildId)
    ?.bans.filter((each) => each.user_id === id);
}

function requestsTo(method: string, route: string) {
  return stage.sandbox.requests.filter((request) => request.method === method && request.route === route);
}

const PUT_BAN = ['PUT', '/guilds/{guild_id}/bans/{user_id}'] as const;
const bansSent = (userId: string) =>
  requestsTo(...PUT_BAN).filter(({ path }) => path.endsWith(`/${userId}`)).length;

test('a ban happens at Discord, with a reason that names the action and who made it, and is a case', async () => {
  verifies('bans.add.response', 'bans.add.permanent', 'bans.fields');
  const { status, body } = await ban('troll');
  expect(status).toBe(201);
  expect(body).toMatchObject({
    ban: {
      user_id: stage.people.troll,
      reason: 'Spam',
      permanent: true,
      expires_at: null,
      issued_by: stage.people.owner,
      active: true,
      case_number: 1,
    },
  });
  const [made] = bansOf('troll') ?? [];
  const action = await stage.row<{ id: string }>("SELECT id FROM actions WHERE state = 'done'");
  expect(actionIdInReason(made?.reason ?? '')).toBe(action.id);
  expect(made?.reason).toContain('dashboard "mira.voss": Spam');
  expect(requestsTo(...PUT_BAN)).toHaveLength(1);
});

test('a ban asks Discord for the target alone, and the mirror for everyone else', async () => {
  const before = stage.sandbox.requests.length;
  await ban('troll');
  const asked = stage.sandbox.requests.slice(before).filter(({ path }) => path.startsWith('/guilds/'));
  expect(asked.map(({ method, path }) => `${method} ${path}`)).toEqual([
    `GET /guilds/${stage.guildId}/members/${stage.people.troll}`,
    `PUT /guilds/${stage.guildId}/bans/${stage.people.troll}`,
  ]);
});

/** Leaves the mirror that of another bot, whatever this one writes. */
const OF_ANOTHER_BOT = `CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN NEW.bot_user_id := '1'; RETURN NEW; END $$;
  CREATE TRIGGER spoil BEFORE UPDATE ON gateway_shards FOR EACH ROW EXECUTE FUNCTION spoil();
  UPDATE gateway_shards SET bot_user_id = '1'`;

test.each([
  ['is that of another bot', OF_ANOTHER_BOT],
  ['does not know a role of the target', "DELETE FROM roles WHERE name = 'Admin'"],
])('where the mirror %s, Discord is asked for the rest too', async (_why, sql) => {
  spoil();
  await stage.test.database.pool.query(sql);
  expect(await refusalOf(ban('admin'))).toMatchObject({ details: { reason: 'ROLE_HIERARCHY' } });
  expect(requestsTo('GET', '/guilds/{guild_id}')).toHaveLength(1);
  expect(requestsTo(...PUT_BAN)).toEqual([]);
});

test('a later ban of the same user replaces the case of the earlier one', async () => {
  await ban('troll', { duration_minutes: 60 });
  await ban('troll');
  const { rows } = await stage.test.database.pool.query(
    'SELECT case_number, ended_at IS NULL AS active FROM cases ORDER BY case_number',
  );
  expect(rows).toEqual([
    { case_number: 1, active: false },
    { case_number: 2, active: true },
  ]);
});

test('a ban is lifted at Discord and on record', async () => {
  verifies('bans.lift');
  await ban('troll');
  const { body } = await stage.act('bans.lift', 'owner', { userId: stage.people.troll, reason: 'Appeal' });
  expect(body).toMatchObject({ ban: { lifted_by: stage.people.owner, active: false } });
  expect(bansOf('troll')).toEqual([]);
});

test('a ban made by hand can be lifted, and becomes a case by that', async () => {
  stage.sandbox.control.bans({ user: 'troll', by: 'owner', reason: 'By hand' });
  const { body } = await stage.act('bans.lift', 'owner', { userId: stage.people.troll });
  expect(body).toMatchObject({ ban: { reason: 'By hand', active: false } });
});

test('a lifted ban that was not on record keeps its reason when the answer is lost', async () => {
  await banNobodyRecorded('By hand');
  stage.sandbox.control.addFault({ route: BAN_ROUTE, method: 'DELETE', when: 'after', status: 502 });
  const { body } = await stage.act('bans.lift', 'owner', { userId: stage.people.troll });
  expect(body).toMatchObject({ ban: { reason: 'By hand', active: false } });
});

test('a lifted ban that was not on record keeps its reason when the lift is only found out later', async () => {
  await banNobodyRecorded('By hand');
  stage.sandbox.control.addFault({ route: BAN_ROUTE, method: 'DELETE', when: 'after', status: 502 });
  stage.sandbox.control.addFault({ route: '/guilds/*/audit-logs', status: 502 });
  const lift = stage.act('bans.lift', 'owner', { userId: stage.people.troll });
  expect(await refusalOf(lift)).toMatchObject({ details: { outcome: 'unknown' } });
  stage.sandbox.control.clearFaults();
  await recover();
  const action = await stage.row<{ result: object }>("SELECT result FROM actions WHERE state = 'done'");
  expect(action.result).toMatchObject({ ban: { reason: 'By hand', active: false } });
});

/** A ban without a case: Bailiff records what others do, not what its own bot did before the database was new. */
function banNobodyRecorded(reason: string): Promise<unknown> {
  stage.sandbox.control.bans({ user: 'troll', by: stage.sandbox.clientId, reason });
  return stage.sandbox.until(() => bansOf('troll')?.length === 1);
}

/** Checks actions with an unknown outcome again, once none of their requests can still arrive. */
async function recover(): Promise<void> {
  const { pool } = stage.test.database;
  await pool.query("UPDATE actions SET created_at = now() - interval '2 minutes', looked_at = NULL");
  await pool.query("SELECT graphile_worker.add_job('recover', '{}')");
}

test('lifting a ban that is not there is NOT_FOUND', async () => {
  expect(await refusalOf(stage.act('bans.lift', 'owner', { userId: stage.people.troll }))).toMatchObject({
    code: 'NOT_FOUND',
    status: 404,
  });
});

test('a ban lifted by hand between check and request is NOT_FOUND', async () => {
  await ban('troll');
  stage.sandbox.control.addFault({
    route: BAN_ROUTE,
    method: 'DELETE',
    status: 404,
    body: { message: 'Unknown Ban', code: 10026 },
  });
  expect(await refusalOf(stage.act('bans.lift', 'owner', { userId: stage.people.troll }))).toMatchObject({
    code: 'NOT_FOUND',
  });
});

test('who left, who never joined and who is banned already can be banned by their id', async () => {
  stage.sandbox.control.members({ action: 'leave', user: 'quiet' });
  stage.sandbox.control.bans({ user: 'member2', by: 'owner' });
  for (const name of ['quiet', 'outsider', 'member2']) {
    expect(await ban(name)).toMatchObject({ status: 201, body: { ban: { active: true, reason: 'Spam' } } });
    expect(bansOf(name)).toHaveLength(1);
  }
});

test('a user Discord does not know is NOT_FOUND', async () => {
  const unknown = stage.act('bans.add', 'owner', { user_id: '99999999999999999', reason: 'Spam' });
  expect(await refusalOf(unknown)).toMatchObject({ code: 'NOT_FOUND' });
});

test('a target out of reach is refused, in the order of the reasons, and nothing is sent', async () => {
  verifies('errors.forbidden.target-is-bot', 'errors.forbidden.role-hierarchy');
  await grant(stage, 'Moderator', ['bans.write']);
  await grant(stage, 'Admin', ['bans.write']);
  await stage.row('SELECT FROM members WHERE user_id = $1', [stage.people.moderator]);
  await stage.row('SELECT FROM members WHERE user_id = $1', [stage.people.admin]);
  const reasonOf = async (by: string, userId: string | undefined) => {
    const refusal = await refusalOf(stage.act('bans.add', by, { user_id: userId, reason: 'x' }));
    expect(refusal).toMatchObject({ code: 'FORBIDDEN', status: 403 });
    return (refusal.details as { reason: string }).reason;
  };
  expect(await reasonOf('moderator', stage.people.owner)).toBe('TARGET_IS_OWNER');
  expect(await reasonOf('moderator', stage.sandbox.clientId)).toBe('TARGET_IS_BOT');
  expect(await reasonOf('moderator', stage.people.moderator)).toBe('TARGET_IS_SELF');
  expect(await reasonOf('moderator', stage.people.admin)).toBe('ROLE_HIERARCHY');
  // The owner ranks above everyone, the bot does not.
  expect(await reasonOf('owner', stage.people.admin)).toBe('ROLE_HIERARCHY');
  expect(requestsTo(...PUT_BAN)).toEqual([]);
});

test('without its Discord permission the bot says so', async () => {
  verifies('errors.forbidden.bot-missing-permission');
  stage.sandbox.control.roles({ action: 'update', role: 'Bailiff', permissions: ['ViewChannel'] });
  await stage.row("SELECT FROM roles WHERE name = 'Bailiff' AND permissions = 1024");
  expect(await refusalOf(ban('troll'))).toMatchObject({
    code: 'FORBIDDEN',
    message: expect.stringContaining('the permission Ban Members'),
    details: { reason: 'BOT_MISSING_PERMISSION' },
  });
  expect(requestsTo(...PUT_BAN)).toEqual([]);
});

test('a ban whose answer is lost is found done, and was sent once', async () => {
  verifies('errors.upstream-unavailable.discord');
  stage.sandbox.control.addFault({ route: BAN_ROUTE, method: 'PUT', when: 'after', status: 502 });
  expect((await ban('troll')).status).toBe(201);
  expect(requestsTo(...PUT_BAN)).toHaveLength(1);
});

test('a ban Discord failed to make is told as not performed', async () => {
  stage.sandbox.control.addFault({ route: BAN_ROUTE, method: 'PUT', status: 500 });
  expect(await refusalOf(ban('troll'))).toMatchObject({
    code: 'UPSTREAM_UNAVAILABLE',
    status: 502,
    details: { upstream: 'discord', outcome: 'not_performed' },
  });
  expect(bansOf('troll')).toEqual([]);
});

test('a Discord that stalls makes the outcome unknown in time, and nothing is sent again', async () => {
  verifies('errors.upstream-unavailable.unknown', 'G14', 'H24');
  await limitPerforming(stage);
  stage.sandbox.control.addFault({ route: BAN_ROUTE, method: 'PUT', socket: 'hang', times: null });
  const { userId, refusal } = await untilShown(async () => {
    const userId = newMember(stage.sandbox);
    const refusal = await soonEnough(
      refusalOf(stage.act('bans.add', 'owner', { user_id: userId, reason: 'Spam' })),
    );
    // A look at the member that takes too long leaves no time for the ban.
    return refusal !== null && bansSent(userId) > 0 ? { userId, refusal } : null;
  });
  stage.sandbox.control.clearFaults();
  expect(refusal).toMatchObject({ status: 502, details: { upstream: 'discord', outcome: 'unknown' } });
  expect(bansSent(userId)).toBe(1);
  const banned = stage.sandbox.getState().guilds.flatMap(({ bans }) => bans.map(({ user_id }) => user_id));
  expect(banned).not.toContain(userId);

  // Once none of its requests can still arrive, a check settles it.
  const { pool } = stage.test.database;
  await pool.query("UPDATE actions SET created_at = now() - interval '2 minutes', looked_at = NULL");
  await pool.query("SELECT graphile_worker.add_job('recover', '{}')");
  await stage.row("SELECT FROM actions WHERE target_id = $1 AND state = 'failed'", [userId]);
  expect(bansSent(userId)).toBe(1);
});

test('a long rate limit is not waited for: certainly nothing happened', async () => {
  verifies('H24');
  stage.sandbox.control.addFault({ route: BAN_ROUTE, method: 'PUT', rate_limit: { retry_after: 65 } });
  expect(await refusalOf(ban('troll'))).toMatchObject({
    details: { upstream: 'discord', outcome: 'not_performed' },
  });
  expect(requestsTo(...PUT_BAN)).toHaveLength(1);
});

test('a short rate limit is waited for', async () => {
  stage.sandbox.control.addFault({ route: BAN_ROUTE, method: 'PUT', rate_limit: { retry_after: 0.3 } });
  expect((await ban('troll')).status).toBe(201);
});

test('a ban with a duration is lifted when it expires, by the system', async () => {
  verifies('bans.add.duration', 'bot.ban.expiry');
  const { body } = await ban('troll', { duration_minutes: 5 });
  const made = (body as { ban: { permanent: boolean; issued_at: string; expires_at: string } }).ban;
  expect(made.permanent).toBe(false);
  expect(Date.parse(made.expires_at) - Date.parse(made.issued_at)).toBe(5 * 60_000);
  const { rows } = await stage.test.database.pool.query(
    "SELECT run_at::text FROM graphile_worker.jobs WHERE task_identifier = 'end_ban'",
  );
  const { rows: cases } = await stage.test.database.pool.query(
    'SELECT expires_at::text AS run_at FROM cases',
  );
  expect(rows).toEqual(cases);
  await letExpire();
  await stage.sandbox.until(() => bansOf('troll')?.length === 0);
  const { end_reason } = await stage.row<{ end_reason: string }>(
    'SELECT end_reason FROM cases WHERE ended_at IS NOT NULL AND ended_by = $1',
    [stage.sandbox.clientId],
  );
  expect(end_reason).toBe('The ban has expired');
  await stage.row(
    "SELECT FROM audit WHERE actor_source = 'system' AND operation = 'bans.lift' AND outcome = 'performed'",
  );
});

/** Leaves the guild untrusted, whatever the bot finds when it compares it. */
const UNTRUSTED = `CREATE FUNCTION untrusted() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN NEW.mirrored_at := NULL; RETURN NEW; END $$;
  CREATE TRIGGER untrusted BEFORE UPDATE ON guilds FOR EACH ROW EXECUTE FUNCTION untrusted();
  UPDATE guilds SET mirrored_at = NULL`;

test('a ban that expires while the mirror is not trusted is lifted, by what Discord says', async () => {
  verifies('bot.ban.expiry');
  await ban('troll', { duration_minutes: 5 });
  spoil();
  await stage.test.database.pool.query(UNTRUSTED);
  await letExpire();
  await stage.sandbox.until(() => bansOf('troll')?.length === 0);
  expect(requestsTo('GET', '/guilds/{guild_id}').length).toBeGreaterThan(0);
});

test('a ban that expires while the bot is away is lifted when it is back', async () => {
  verifies('bot.ban.expiry');
  await ban('troll', { duration_minutes: 5 });
  await stage.bot.stop();
  await letExpire();
  const again = await bot(stage.config);
  try {
    await stage.sandbox.until(() => bansOf('troll')?.length === 0);
  } finally {
    await again.stop();
  }
});

test('a ban whose job a dead bot took with it is lifted when another starts', async () => {
  verifies('bot.ban.expiry');
  await ban('troll', { duration_minutes: 5 });
  await stage.bot.stop();
  const { pool } = stage.test.database;
  await pool.query("UPDATE cases SET expires_at = now() - interval '1 second' WHERE kind = 'ban'");
  const { rowCount: taken } = await pool.query(
    "UPDATE graphile_worker._private_jobs SET run_at = now(), locked_at = now(), locked_by = 'dead' WHERE key LIKE 'end_ban:%'",
  );
  expect(taken).toBe(1);
  const again = await bot(stage.config);
  try {
    await stage.sandbox.until(() => bansOf('troll')?.length === 0);
  } finally {
    await again.stop();
  }
});

test('an expired ban that was lifted by hand, where nobody tells of it, just ends on record', async () => {
  await ban('troll', { duration_minutes: 5 });
  // Without View Audit Log.
  stage.sandbox.control.roles({ action: 'update', role: 'Bailiff', permissions: ['BanMembers'] });
  stage.sandbox.control.bans({ action: 'unban', user: 'troll', by: 'owner' });
  await letExpire();
  // The job or the gateway's event sees it first. The event adds that the bot may not read who did it.
  await stage.row(
    "SELECT FROM cases WHERE ended_at IS NOT NULL AND end_reason LIKE 'Lifted outside Bailiff%'",
  );
});

test('a ban that expires where the bot has left asks Discord for nothing', async () => {
  await ban('troll', { duration_minutes: 5 });
  const { pool } = stage.test.database;
  await pool.query('UPDATE guilds SET left_at = now() WHERE id = $1', [stage.guildId]);
  const before = stage.sandbox.requests.length;
  await letExpire();
  await stage.row("SELECT FROM graphile_worker.jobs WHERE task_identifier = 'end_ban' HAVING count(*) = 0");
  const asked = stage.sandbox.requests.slice(before).map(({ path }) => path);
  expect(asked.filter((path) => /\/(audit-logs|bans)/.test(path))).toEqual([]);
  await pool.query('UPDATE guilds SET left_at = NULL WHERE id = $1', [stage.guildId]);
});

test.each([
  ['says 404 without a code', { message: '404: Not Found', code: 0 }],
  ['says that it knows no such guild', { message: 'Unknown Guild', code: 10_004 }],
])(
  'an expired ban stays on record while Discord %s, and is lifted when it answers again',
  async (_what, body) => {
    verifies('H22', 'bot.ban.expiry');
    await ban('troll', { duration_minutes: 5 });
    stage.sandbox.control.addFault({ route: BAN_ROUTE, method: 'GET', status: 404, body, times: null });
    await letExpire();
    await stage.row("SELECT FROM actions WHERE operation = 'bans.lift' AND state = 'failed'");
    await stage.row(
      `SELECT FROM graphile_worker.jobs WHERE task_identifier = 'end_ban' AND locked_at IS NOT NULL
     HAVING count(*) = 0`,
    );
    const { pool } = stage.test.database;
    expect((await pool.query('SELECT ended_at FROM cases')).rows).toEqual([{ ended_at: null }]);
    stage.sandbox.control.clearFaults();
    await pool.query("SELECT graphile_worker.add_job('overdue_bans', '{}')");
    await stage.sandbox.until(() => bansOf('troll')?.length === 0);
  },
);

/** Moves the clock of the ban, and of the job that lifts it, instead of waiting for them. */
async function letExpire(): Promise<void> {
  const { pool } = stage.test.database;
  const { rowCount: ends } = await pool.query(
    `WITH expired AS (
       UPDATE cases SET expires_at = now() - interval '1 second' WHERE kind = 'ban' RETURNING id)
     UPDATE graphile_worker._private_jobs SET run_at = now()
     WHERE key IN (SELECT 'end_ban:' || id FROM expired)`,
  );
  expect(ends).toBe(1);
}
