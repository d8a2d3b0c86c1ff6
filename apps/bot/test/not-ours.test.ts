// What stands in Discord is ended or renewed by the bot only if it can show that it put it there.
import { verifies } from '@bailiff/core/testing';
import { countAttention } from '@bailiff/engine/desk/attention';
import { beforeEach, expect, test } from 'vitest';
import { guildForEachTest } from './each-test.ts';
import { bot, newMember, refusalOf, type Stage } from './harness.ts';
import { runJob } from './upkeep-support.ts';

let stage: Stage;
const { spoil } = guildForEachTest((next) => {
  stage = next;
});
beforeEach(async () => {
  const { pool } = stage.test.database;
  await pool.query('UPDATE guilds SET log_channel_id = $2, language = $3 WHERE id = $1', [
    stage.guildId,
    stage.sandbox.channels.mod_log,
    'en',
  ]);
});

const query = async (text: string, values: unknown[] = []) =>
  (await stage.test.database.pool.query(text, values)).rows;

const WITHOUT_LOG = [
  'ViewChannel',
  'SendMessages',
  'EmbedLinks',
  'ReadMessageHistory',
  'BanMembers',
  'ModerateMembers',
];
const grantBot = (permissions: string[]) =>
  stage.sandbox.control.roles({ action: 'update', role: 'Bailiff', permissions });
/** The bot has these permissions from now on, and knows it: a job may come sooner than the word of it. */
async function untilGranted(permissions: string[]): Promise<void> {
  const { role } = grantBot(permissions);
  await stage.row('SELECT FROM roles WHERE id = $1 AND permissions = $2', [role?.id, role?.permissions]);
}
const guildNow = () => stage.sandbox.getState(1000).guilds.find(({ id }) => id === stage.guildId);
const banOf = (user: string) => guildNow()?.bans.find(({ user_id }) => user_id === user);
const timeoutOf = (user: string) =>
  guildNow()?.members.find(({ user_id }) => user_id === user)?.communication_disabled_until ?? null;
const inLogChannel = (text: string) =>
  guildNow()
    ?.channels.find(({ id }) => id === stage.sandbox.channels.mod_log)
    ?.messages.filter(({ content }) => content.includes(text)) ?? [];

const banFor = (user: string, minutes: number) =>
  stage.act('bans.add', 'owner', { user_id: user, reason: 'Spam', duration_minutes: minutes });

/** Lets a sanction run out, and its job run now. */
async function runOut(user: string): Promise<void> {
  await query(
    `WITH over AS (UPDATE cases SET expires_at = now() - interval '1 second' WHERE user_id = $1 RETURNING id)
     UPDATE graphile_worker._private_jobs SET run_at = now() WHERE key IN (SELECT 'end_ban:' || id FROM over)`,
    [user],
  );
}

/** The bot may not read the audit log any more, and knows it. */
async function hideLog(): Promise<void> {
  grantBot(WITHOUT_LOG);
  await stage.row("SELECT FROM roles WHERE name = 'Bailiff' AND permissions & 128 = 0");
}

test('a ban by hand in place of an expired one is left, on record and told, where the bot cannot read who made it', async () => {
  verifies('bot.never-undo-foreign');
  const user = newMember(stage.sandbox);
  await banFor(user, 5);
  await stage.bot.stop();
  grantBot(WITHOUT_LOG);
  stage.sandbox.control.bans({ action: 'unban', user, by: 'owner' });
  stage.sandbox.control.bans({ user, by: 'owner', reason: 'Raid, never again' });
  stage = { ...stage, bot: await bot(stage.config) };
  await stage.bot.settled;
  await runOut(user);
  const ended = await stage.row<{ end_reason: string }>(
    'SELECT end_reason FROM cases WHERE user_id = $1 AND ended_at IS NOT NULL',
    [user],
  );
  expect(ended.end_reason).toContain('left in place');
  expect(banOf(user)).toMatchObject({ reason: 'Raid, never again' });
  await stage.sandbox.until(() => inLogChannel('left in place').length === 1);
  await stage.bot.stop();
});

test('the bot lifts its own ban without reading the audit log: the reason has the id of its action', async () => {
  verifies('bot.never-undo-foreign', 'bot.ban.expiry');
  const user = newMember(stage.sandbox);
  await banFor(user, 5);
  grantBot(WITHOUT_LOG);
  await runOut(user);
  await stage.sandbox.until(() => banOf(user) === undefined);
});

test('the bot lifts a ban that replaced earlier ones of its own: Discord keeps the reason of the first', async () => {
  verifies('bot.never-undo-foreign', 'bot.ban.expiry');
  const user = newMember(stage.sandbox);
  for (const minutes of [600, 60, 5]) await banFor(user, minutes);
  expect(banOf(user)?.reason).toContain(
    (await query('SELECT action_id FROM cases WHERE user_id = $1 ORDER BY id', [user]))[0].action_id,
  );
  await hideLog();
  await runOut(user);
  await stage.row('SELECT FROM cases WHERE user_id = $1 HAVING bool_and(ended_at IS NOT NULL)', [user]);
  expect(banOf(user)).toBeUndefined();
});

test('a ban by hand between two of the bot is left when the later one ends', async () => {
  verifies('bot.never-undo-foreign');
  const user = newMember(stage.sandbox);
  await banFor(user, 600);
  await stage.act('bans.lift', 'owner', { userId: user });
  stage.sandbox.control.bans({ user, by: 'owner', reason: 'Raid, never again' });
  await stage.row('SELECT FROM cases WHERE user_id = $1 AND ended_at IS NULL', [user]);
  await banFor(user, 5);
  await hideLog();
  await runOut(user);
  await stage.row('SELECT FROM cases WHERE user_id = $1 HAVING bool_and(ended_at IS NOT NULL)', [user]);
  expect(banOf(user)).toMatchObject({ reason: 'Raid, never again' });
});

const renew = (user: string) =>
  query(
    `SELECT graphile_worker.add_job('renew_mute', json_build_object('case_id', id), job_key => 'renew_mute:' || id)
     FROM cases WHERE user_id = $1`,
    [user],
  );
const LONG = 60 * 24 * 60;

test.each([
  ['was taken off', 'lift_timeout', 0, 'accepted'],
  ['was shortened', 'timeout', 30, 'over'],
] as const)(
  'a timeout that %s by hand while the bot was away is not put back, where it cannot read who did it',
  async (_what, action, minutes, appeal) => {
    verifies('bot.never-undo-foreign');
    const user = newMember(stage.sandbox);
    await stage.act('mutes.add', 'owner', { user_id: user, reason: 'Noise', duration_minutes: LONG });
    await query(
      `INSERT INTO appeals (guild_id, case_id, user_id, language, answers)
       SELECT guild_id, id, user_id, 'en', '[]' FROM cases WHERE user_id = $1`,
      [user],
    );
    await stage.bot.stop();
    grantBot(WITHOUT_LOG);
    stage.sandbox.control.members({ action, user, by: 'owner', ...(minutes === 0 ? {} : { minutes }) });
    const before = timeoutOf(user);
    stage = { ...stage, bot: await bot(stage.config) };
    await stage.bot.settled;
    await renew(user);
    const ended = await stage.row<{ end_reason: string }>(
      'SELECT end_reason FROM cases WHERE user_id = $1 AND ended_at IS NOT NULL',
      [user],
    );
    expect(ended.end_reason).toContain('left as it is');
    expect(timeoutOf(user)).toBe(before);
    // Nobody is told that what they appealed no longer holds while a timeout stands.
    expect(await query('SELECT state FROM appeals WHERE user_id = $1', [user])).toEqual([{ state: appeal }]);
    await stage.sandbox.until(() => inLogChannel('left as it is').length === 1);
    // It names them to the moderators, and does not call them.
    expect(inLogChannel('left as it is')[0]?.mentions).toEqual([]);
    await stage.bot.stop();
  },
);

test('timeouts by hand are on record when they happen, where the bot cannot read who did it, and left alone', async () => {
  verifies('bot.timeout-events', 'bot.never-undo-foreign');
  const { control } = stage.sandbox;
  // So many posts at once would wait for Discord's limit, and the end of the bot for them.
  await query('UPDATE guilds SET log_channel_id = NULL');
  const [user, other] = [newMember(stage.sandbox), newMember(stage.sandbox)];
  await stage.act('mutes.add', 'owner', { user_id: user, reason: 'Noise', duration_minutes: LONG });
  await hideLog();
  control.members({ action: 'lift_timeout', user, by: 'owner' });
  const lifted = await stage.row<{ end_reason: string }>(
    'SELECT end_reason FROM cases WHERE user_id = $1 AND ended_at IS NOT NULL',
    [user],
  );
  expect(lifted.end_reason).toContain('may not read who');
  control.members({ action: 'timeout', user, by: 'owner', minutes: 30 });
  const inForce = 'SELECT reason, expires_at FROM cases WHERE user_id = $1 AND ended_at IS NULL';
  const made = await stage.row<{ reason: string; expires_at: Date }>(inForce, [user]);
  expect(made.reason).toContain('may not read who');
  expect(made.expires_at.toISOString()).toBe(new Date(timeoutOf(user) ?? '').toISOString());
  // What Bailiff does itself, and other changes of a member, are no timeouts by hand.
  await stage.act('mutes.add', 'owner', { user_id: other, reason: 'Noise', duration_minutes: LONG });
  const renewed = stage.sandbox.nextRequest('PATCH', '/guilds/{guild_id}/members/{user_id}');
  await renew(other);
  await renewed;
  for (const each of [user, other]) control.members({ action: 'nick', user: each, nick: 'Lamp' });
  const last = newMember(stage.sandbox);
  control.members({ action: 'timeout', user: last, by: 'owner', minutes: 30 });
  await stage.row(inForce, [last]);
  for (const [each, cases] of [
    [user, 2],
    [other, 1],
  ] as const) {
    expect(await query('SELECT FROM cases WHERE user_id = $1', [each])).toHaveLength(cases);
    expect(await query(inForce, [each])).toHaveLength(1);
  }
});

test('what is left of a lifted mute is no timeout by hand while it is taken off, where the bot cannot read who did it', async () => {
  verifies('bot.timeout-events', 'bot.mute.rejoin');
  const { control } = stage.sandbox;
  await query('UPDATE guilds SET log_channel_id = NULL');
  const [user, last] = [newMember(stage.sandbox), newMember(stage.sandbox)];
  await stage.act('mutes.add', 'owner', { user_id: user, reason: 'Noise', duration_minutes: LONG });
  await hideLog();
  control.members({ action: 'leave', user });
  await stage.act('mutes.lift', 'owner', { userId: user });
  control.addFault({ route: MEMBER, method: 'PATCH', held: true });
  control.members({ action: 'join', user });
  // As where another bot gives a role or a name to whoever comes.
  control.members({ action: 'nick', user, nick: 'Lamp' });
  control.members({ action: 'timeout', user: last, by: 'owner', minutes: 30 });
  await stage.row('SELECT FROM cases WHERE user_id = $1', [last]);
  expect(timeoutOf(user)).not.toBeNull();
  expect(await query('SELECT reason FROM cases WHERE user_id = $1', [user])).toEqual([{ reason: 'Noise' }]);
  control.clearFaults();
  await stage.sandbox.until(() => timeoutOf(user) === null);
});

test('what is done by hand is on record once the database and Discord answer, where the bot cannot read who did it', async () => {
  verifies('bot.ban-events', 'bot.timeout-events');
  await query('UPDATE guilds SET log_channel_id = NULL');
  await hideLog();
  const { control } = stage.sandbox;
  const [banned, timedOut] = [newMember(stage.sandbox), newMember(stage.sandbox)];
  const failure = control.addFault({ route: '/guilds/*/members/*', method: 'GET', status: 502, times: 2 });
  control.members({ action: 'timeout', user: timedOut, by: 'owner', minutes: 30 });
  await stage.row('SELECT FROM cases WHERE user_id = $1', [timedOut]);
  expect(stage.sandbox.requests.filter(({ fault }) => fault === failure.id)).toHaveLength(2);
  spoil();
  // A sequence counts on although what used it is undone.
  await query(`CREATE SEQUENCE tries;
    CREATE FUNCTION fail_twice() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
      'BEGIN IF nextval(''tries'') < 3 THEN RAISE SQLSTATE ''57P03''; END IF; RETURN NEW; END';
    CREATE TRIGGER fail_twice BEFORE INSERT ON cases FOR EACH ROW EXECUTE FUNCTION fail_twice()`);
  control.bans({ user: banned, by: 'owner' });
  await stage.row('SELECT FROM cases WHERE user_id = $1', [banned]);
  expect(await query('SELECT last_value FROM tries')).toEqual([{ last_value: '3' }]);
});

test('a change of somebody without a timeout does not end their imported mute', async () => {
  verifies('bot.timeout-events', 'imports.records-only');
  const { control } = stage.sandbox;
  const [user, last] = [newMember(stage.sandbox), newMember(stage.sandbox)];
  await query(
    `INSERT INTO cases (id, guild_id, case_number, kind, user_id, issued_by, expires_at, import_id)
     VALUES (new_id('mut'), $1, 900, 'mute', $2, $3, now() + interval '1 hour', 'imp_1')`,
    [stage.guildId, user, stage.people.owner],
  );
  await hideLog();
  control.members({ action: 'nick', user, nick: 'Lamp' });
  control.members({ action: 'timeout', user: last, by: 'owner', minutes: 30 });
  await stage.row('SELECT FROM cases WHERE user_id = $1', [last]);
  expect(await query('SELECT FROM cases WHERE user_id = $1 AND ended_at IS NULL', [user])).toHaveLength(1);
});

test('where the bot cannot read who did it, a softban is one case, and is lifted', async () => {
  verifies('softbans.add');
  await query('UPDATE guilds SET log_channel_id = NULL');
  await hideLog();
  const [user, last] = [newMember(stage.sandbox), newMember(stage.sandbox)];
  // As at Discord, what happened is told while the answer is still on its way.
  for (const method of ['PUT', 'DELETE'])
    stage.sandbox.control.addFault({ method, route: '/guilds/*/bans/*', when: 'after', delay_ms: 300 });
  await stage.act('bans.soft', 'owner', {
    user_id: user,
    reason: 'Hacked account',
    delete_message_seconds: 60,
  });
  await stage.row('SELECT FROM cases WHERE user_id = $1 AND ended_at IS NOT NULL', [user]);
  await stage.sandbox.until(() => banOf(user) === undefined);
  // The events of a guild are looked at one after the other.
  stage.sandbox.control.bans({ user: last, by: 'owner' });
  await stage.row('SELECT FROM cases WHERE user_id = $1', [last]);
  expect(await query('SELECT kind FROM cases WHERE user_id = $1', [user])).toEqual([{ kind: 'softban' }]);
});

test('a timeout that comes on record while its event is looked at is not recorded again', async () => {
  verifies('bot.timeout-events');
  await query('UPDATE guilds SET log_channel_id = NULL');
  await hideLog();
  const [user, last] = [newMember(stage.sandbox), newMember(stage.sandbox)];
  const settling = await stage.test.database.pool.connect();
  try {
    await settling.query('BEGIN');
    await settling.query('LOCK TABLE actions IN ACCESS EXCLUSIVE MODE');
    stage.sandbox.control.members({ action: 'timeout', user, by: 'owner', minutes: 30 });
    await stage.row(
      `SELECT FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE NOT l.granted
         AND l.relation = 'actions'::regclass AND a.query LIKE '%lease_expires_at%' AND a.xact_start IS NOT NULL`,
    );
    await settling.query("SELECT open_case($1, 'mute', 'mut_', $2, 'Noise', $3, 30, NULL)", [
      stage.guildId,
      user,
      stage.people.owner,
    ]);
    await settling.query(
      "UPDATE cases SET timeout_until = $2, issued_at = now() - interval '1 minute' WHERE user_id = $1",
      [user, timeoutOf(user)],
    );
    await settling.query('COMMIT');
  } finally {
    settling.release(true);
  }
  stage.sandbox.control.members({ action: 'timeout', user: last, by: 'owner', minutes: 30 });
  await stage.row('SELECT FROM cases WHERE user_id = $1', [last]);
  expect(await query('SELECT reason, ended_at FROM cases WHERE user_id = $1', [user])).toEqual([
    { reason: 'Noise', ended_at: null },
  ]);
});

test('the bot renews its own timeout without reading the audit log: its end is the one it set', async () => {
  verifies('bot.never-undo-foreign', 'bot.mute.renewed');
  const user = newMember(stage.sandbox);
  await stage.act('mutes.add', 'owner', { user_id: user, reason: 'Noise', duration_minutes: LONG });
  grantBot(WITHOUT_LOG);
  for (const _renewal of [1, 2]) {
    const renewed = stage.sandbox.nextRequest('PATCH', '/guilds/{guild_id}/members/{user_id}');
    await renew(user);
    await renewed;
  }
  expect(await query('SELECT FROM cases WHERE ended_at IS NOT NULL')).toEqual([]);
});

test('a renewal whose answer is lost leaves the mute in force, where the bot cannot read who did it', async () => {
  verifies('bot.never-undo-foreign', 'bot.timeout-events', 'bot.mute.renewed');
  await query('UPDATE guilds SET log_channel_id = NULL');
  const [user, last] = [newMember(stage.sandbox), newMember(stage.sandbox)];
  await stage.act('mutes.add', 'owner', { user_id: user, reason: 'Noise', duration_minutes: LONG });
  await hideLog();
  // The renewal is due: the timeout lapses within a day.
  await query("UPDATE cases SET timeout_until = now() + interval '20 hours' WHERE user_id = $1", [user]);
  stage.sandbox.control.members({ action: 'timeout', user, by: 'owner', minutes: 20 * 60 });
  stage.sandbox.control.addFault({ route: MEMBER, method: 'PATCH', when: 'after', status: 502 });
  await renew(user);
  await stage.row(
    "SELECT FROM cases WHERE ended_at IS NOT NULL OR timeout_until > now() + interval '27 days'",
  );
  // The events of a guild are looked at one after the other.
  stage.sandbox.control.members({ action: 'timeout', user: last, by: 'owner', minutes: 30 });
  await stage.row('SELECT FROM cases WHERE user_id = $1', [last]);
  expect(await casesOf(user)).toEqual([expect.objectContaining({ kind: 'mute', stands: 'in force' })]);
});

/** Somebody who is gone, with a long mute whose timeout has lapsed. The bot knows that, and may not read the log. */
async function goneUntilLapsed(
  beforeThat: (user: string) => Promise<void> = async () => {},
): Promise<string> {
  await query('UPDATE guilds SET log_channel_id = NULL');
  const [muted, user] = [newMember(stage.sandbox), newMember(stage.sandbox)];
  await stage.act('mutes.add', 'owner', { user_id: muted, reason: 'Noise', duration_minutes: LONG });
  stage.sandbox.control.members({ action: 'leave', user });
  // It is somebody else's mute, so that no timeout stands at Discord.
  await query('UPDATE cases SET user_id = $1', [user]);
  await beforeThat(user);
  await hideLog();
  await query("UPDATE cases SET timeout_until = now() - interval '1 hour'");
  await query("SELECT graphile_worker.add_job('overdue_bans', '{}')");
  await stage.row('SELECT FROM cases WHERE user_id = $1 AND timeout_until IS NULL', [user]);
  return user;
}

/** Waits until it is decided whether a mute goes on, and expects that it does. */
async function expectMutedAgain(user: string): Promise<void> {
  await stage.row(
    "SELECT FROM cases WHERE ended_at IS NOT NULL OR timeout_until > now() + interval '27 days'",
  );
  expect(await casesOf(user)).toEqual([expect.objectContaining({ kind: 'mute', stands: 'in force' })]);
  expect(timeoutOf(user)).not.toBeNull();
}

test('who was gone until their timeout lapsed is muted again when they come back, where the bot cannot read the log', async () => {
  verifies('bot.mute.renewed', 'bot.mute.rejoin');
  const user = await goneUntilLapsed();
  stage.sandbox.control.members({ action: 'join', user });
  // As where another bot gives a role or a name to whoever comes.
  stage.sandbox.control.members({ action: 'nick', user, nick: 'Lamp' });
  await expectMutedAgain(user);
});

test('so are they when Discord fails at first', async () => {
  verifies('bot.mute.renewed', 'bot.mute.rejoin');
  const user = await goneUntilLapsed();
  stage.sandbox.control.addFault({ route: MEMBER, method: 'PATCH', status: 502 });
  stage.sandbox.control.members({ action: 'join', user });
  await expectMutedAgain(user);
});

test('so are they when the bot may time nobody out at first', async () => {
  verifies('bot.mute.renewed', 'bot.mute.rejoin');
  const user = await goneUntilLapsed();
  grantBot(WITHOUT_LOG.filter((permission) => permission !== 'ModerateMembers'));
  stage.sandbox.control.members({ action: 'join', user });
  await stage.row('SELECT FROM cases WHERE end_failed_at IS NOT NULL');
  // Nobody takes the end for a timeout of Bailiff that it could not set.
  expect(await query('SELECT FROM cases WHERE renewing_until IS NOT NULL')).toEqual([]);
  await untilGranted(WITHOUT_LOG);
  await query("SELECT graphile_worker.add_job('overdue_bans', '{}')");
  await expectMutedAgain(user);
});

test('so are they when a renewal found them gone while the bot could still read the log', async () => {
  verifies('bot.mute.renewed', 'bot.mute.rejoin');
  const user = await goneUntilLapsed(async (gone) => {
    const renewed = stage.sandbox.nextRequest('PATCH', '/guilds/{guild_id}/members/{user_id}');
    await renew(gone);
    await renewed;
    await stage.row(
      "SELECT WHERE NOT EXISTS (SELECT FROM graphile_worker.jobs WHERE task_identifier = 'renew_mute')",
    );
    expect(await query('SELECT FROM cases WHERE renewing_until IS NOT NULL')).toEqual([]);
  });
  stage.sandbox.control.members({ action: 'join', user });
  await expectMutedAgain(user);
});

test('so are they when they come back before the bot has noticed that it lapsed', async () => {
  verifies('bot.mute.renewed', 'bot.mute.rejoin');
  await query('UPDATE guilds SET log_channel_id = NULL');
  const [muted, user] = [newMember(stage.sandbox), newMember(stage.sandbox)];
  await stage.act('mutes.add', 'owner', { user_id: muted, reason: 'Noise', duration_minutes: LONG });
  await hideLog();
  stage.sandbox.control.members({ action: 'leave', user });
  // It is somebody else's mute, so that no timeout stands at Discord.
  await query("UPDATE cases SET user_id = $1, timeout_until = now() - interval '1 minute'", [user]);
  stage.sandbox.control.members({ action: 'join', user });
  await expectMutedAgain(user);
});

/** Settles actions whose outcome is unknown, once none of their requests can still arrive. */
async function recover(after = '2 minutes'): Promise<void> {
  await query('UPDATE actions SET created_at = now() - $1::interval, looked_at = NULL', [after]);
  await query("SELECT graphile_worker.add_job('recover', '{}')");
}

const BAN = '/guilds/*/bans/*';
const MEMBER = '/guilds/*/members/*';
const LOG = '/guilds/*/audit-logs';

/** The request of an operation, and where it is looked for first. */
const LOST = {
  'bans.add': ['PUT', BAN, BAN],
  'bans.soft': ['PUT', BAN, BAN],
  'bans.lift': ['DELETE', BAN, LOG],
  'mutes.add': ['PATCH', MEMBER, LOG],
  'mutes.change': ['PATCH', MEMBER, LOG],
  'mutes.lift': ['PATCH', MEMBER, LOG],
} as const;

/** Something that happened, whose answer was lost and which could not be looked for. */
async function withoutAnswer(operation: keyof typeof LOST, input: object): Promise<void> {
  const { control } = stage.sandbox;
  const [method, route, look] = LOST[operation];
  control.addFault({ route, method, when: 'after', status: 502 });
  // Before a softban, Discord is asked for a ban that stands.
  if (operation === 'bans.soft') control.addFault({ route: look, method: 'GET', delay_ms: 1 });
  control.addFault({ route: look, method: 'GET', status: 502 });
  expect(await refusalOf(stage.act(operation, 'owner', input))).toMatchObject({
    details: { outcome: 'unknown' },
  });
  control.clearFaults();
}

const banWithoutAnswer = (user: string) => withoutAnswer('bans.add', { user_id: user, reason: 'Spam' });

test('a ban that was lifted by hand before it was looked for did happen', async () => {
  verifies('bot.never-undo-foreign');
  const user = newMember(stage.sandbox);
  await banWithoutAnswer(user);
  stage.sandbox.control.bans({ action: 'unban', user, by: 'owner' });
  await recover();
  await stage.row("SELECT FROM actions WHERE state = 'done' AND target_id = $1", [user]);
  expect(await query('SELECT FROM cases WHERE user_id = $1 AND ended_at IS NULL', [user])).toEqual([]);
  expect(await query('SELECT FROM cases WHERE action_id IS NOT NULL')).toHaveLength(1);
});

test('where nobody can know whether a ban happened, it stays unknown', async () => {
  verifies('bot.never-undo-foreign');
  const user = newMember(stage.sandbox);
  await banWithoutAnswer(user);
  grantBot(WITHOUT_LOG);
  stage.sandbox.control.bans({ action: 'unban', user, by: 'owner' });
  await recover('2 hours');
  await stage.row("SELECT FROM actions WHERE looked_at = 'infinity'");
  expect(await query("SELECT state, error->>'message' AS said FROM actions")).toEqual([
    { state: 'unknown', said: expect.stringContaining('for an hour nothing showed whether it happened') },
  ]);
});

test('what nothing shows is looked for again for an hour, and found when the audit log can be read', async () => {
  verifies('bot.looked-for-again', 'bot.outcome-evidence');
  const user = newMember(stage.sandbox);
  await banWithoutAnswer(user);
  await hideLog();
  stage.sandbox.control.bans({ action: 'unban', user, by: 'owner' });
  await recover();
  await stage.row("SELECT FROM actions WHERE state = 'unknown' AND looked_at < 'infinity'");
  grantBot([...WITHOUT_LOG, 'ViewAuditLog']);
  await recover('50 minutes');
  await stage.row("SELECT FROM actions WHERE state = 'done'");
});

const foundDone = (operation: keyof typeof LOST) =>
  stage.row<{ result: object }>(
    `SELECT result FROM actions WHERE operation = $1 AND state = 'done'
       AND id IN (SELECT action_id FROM audit WHERE outcome = 'unknown')`,
    [operation],
  );

const casesOf = (user: string) =>
  query(
    `SELECT kind, duration_minutes, CASE WHEN ended_at IS NULL THEN 'in force' ELSE end_reason END AS stands
     FROM cases WHERE user_id = $1 ORDER BY issued_at`,
    [user],
  );

test.each([
  ['softban', 'bans.soft', { delete_message_seconds: 60 }, { kind: 'softban', duration_minutes: 0 }],
  ['ban for a day', 'bans.add', { duration_minutes: 1440 }, { kind: 'ban', duration_minutes: 1440 }],
] as const)(
  'a %s that is found out when the person was banned for good does not end that ban',
  async (_what, operation, more, found) => {
    verifies('cases.end-from-performed', 'bot.outcome-evidence');
    const user = newMember(stage.sandbox);
    await withoutAnswer(operation, { user_id: user, reason: 'Spam', ...more });
    await stage.act('bans.add', 'owner', { user_id: user, reason: 'Raid' });
    await recover();
    const { result } = await foundDone(operation);
    expect(await casesOf(user)).toEqual([
      { ...found, stands: 'Replaced by a later ban' },
      { kind: 'ban', duration_minutes: null, stands: 'in force' },
    ]);
    expect(await query("SELECT FROM graphile_worker.jobs WHERE task_identifier = 'end_ban'")).toEqual([]);
    expect(banOf(user)).toBeDefined();
    if (operation === 'bans.add') {
      expect(result).toMatchObject({ ban: { active: false, lifted_at: expect.any(String) } });
    }
  },
);

test('a ban for good that is found out when the person was banned for an hour leaves them that hour', async () => {
  verifies('cases.end-from-performed', 'bot.outcome-evidence');
  const user = newMember(stage.sandbox);
  await banWithoutAnswer(user);
  await banFor(user, 60);
  await recover();
  await stage.row('SELECT FROM cases WHERE user_id = $1 HAVING count(*) = 2', [user]);
  expect(await casesOf(user)).toEqual([
    { kind: 'ban', duration_minutes: null, stands: 'Replaced by a later ban' },
    { kind: 'ban', duration_minutes: 60, stands: 'in force' },
  ]);
});

test('a lifting that is found out when the person was banned again ends the ban that it lifted', async () => {
  verifies('cases.end-from-performed', 'bot.outcome-evidence');
  const user = newMember(stage.sandbox);
  await banFor(user, 600);
  await withoutAnswer('bans.lift', { userId: user });
  await banFor(user, 60);
  await recover();
  await foundDone('bans.lift');
  expect(await casesOf(user)).toEqual([
    { kind: 'ban', duration_minutes: 600, stands: 'Replaced by a later ban' },
    { kind: 'ban', duration_minutes: 60, stands: 'in force' },
  ]);
});

test('a mute that is found out when the person was muted for longer does not end that mute', async () => {
  verifies('cases.end-from-performed', 'bot.outcome-evidence');
  const user = newMember(stage.sandbox);
  const mute = { user_id: user, reason: 'Noise' };
  await withoutAnswer('mutes.add', { ...mute, duration_minutes: 60 });
  await stage.act('mutes.add', 'owner', { ...mute, duration_minutes: LONG });
  await recover();
  await foundDone('mutes.add');
  expect(await casesOf(user)).toEqual([
    { kind: 'mute', duration_minutes: 60, stands: 'Replaced by a later mute' },
    { kind: 'mute', duration_minutes: LONG, stands: 'in force' },
  ]);
});

test('another length that is found out when its mute was lifted changes no earlier mute', async () => {
  verifies('mutes.change.crash');
  const user = newMember(stage.sandbox);
  const mute = { user_id: user, reason: 'Noise', duration_minutes: 60 };
  await stage.act('mutes.add', 'owner', mute);
  await query(
    `UPDATE cases SET issued_at = now() - interval '10 days', expires_at = now() - interval '9 days'
     WHERE user_id = $1`,
    [user],
  );
  await stage.act('mutes.add', 'owner', mute);
  await withoutAnswer('mutes.change', { userId: user, duration_minutes: 20 * 24 * 60 });
  await stage.act('mutes.lift', 'owner', { userId: user });
  const cases = () =>
    query('SELECT expires_at, duration_minutes FROM cases WHERE user_id = $1 ORDER BY id', [user]);
  const before = await cases();
  await recover();
  await foundDone('mutes.change');
  expect(await cases()).toEqual(before);
  expect(await query('SELECT FROM case_changes')).toEqual([]);
});

test('another length that is found out after the former end of its mute is on record', async () => {
  verifies('mutes.change.crash');
  const user = newMember(stage.sandbox);
  await stage.act('mutes.add', 'owner', { user_id: user, reason: 'Noise', duration_minutes: 60 });
  await withoutAnswer('mutes.change', { userId: user, duration_minutes: 600 });
  await query(
    "UPDATE cases SET issued_at = now() - interval '3 hours', expires_at = now() - interval '2 hours'",
  );
  await query(
    "UPDATE actions SET claimed_at = now() - interval '150 minutes' WHERE operation = 'mutes.change'",
  );
  await recover();
  await foundDone('mutes.change');
  expect(await query('SELECT expires_at > now() AS lasts, duration_minutes FROM cases')).toEqual([
    { lasts: true, duration_minutes: 600 },
  ]);
});

test('an imported ban with an end that was set here is left where the bot cannot read who made it', async () => {
  verifies('bot.never-undo-foreign', 'imports.end-set-here');
  const user = newMember(stage.sandbox);
  await hideLog();
  stage.sandbox.control.bans({ user, by: 'owner', reason: 'Raid' });
  await stage.row("SELECT FROM cases WHERE user_id = $1 AND kind = 'ban'", [user]);
  // As an import leaves it: without an action.
  await query("UPDATE cases SET import_id = 'imp_1' WHERE user_id = $1 AND action_id IS NULL", [user]);
  await stage.act('bans.change', 'owner', { userId: user, duration_minutes: 60 });
  await runOut(user);
  const ended = await stage.row<{ end_reason: string }>(
    'SELECT end_reason FROM cases WHERE user_id = $1 AND ended_at IS NOT NULL',
    [user],
  );
  expect(ended.end_reason).toContain('left in place');
  expect(banOf(user)).toMatchObject({ reason: 'Raid' });
  await stage.sandbox.until(() => inLogChannel('left in place').length === 1);
});

test('an imported ban whose end was set here is lifted after Discord said for a while that it knows no such guild', async () => {
  verifies('H22', 'imports.end-set-here');
  const user = newMember(stage.sandbox);
  stage.sandbox.control.bans({ user, by: 'owner', reason: 'Raid' });
  await stage.row("SELECT FROM cases WHERE user_id = $1 AND kind = 'ban'", [user]);
  await query("UPDATE cases SET import_id = 'imp_1' WHERE user_id = $1", [user]);
  await stage.act('bans.change', 'owner', { userId: user, duration_minutes: 60 });
  const body = { message: 'Unknown Guild', code: 10_004 };
  stage.sandbox.control.addFault({
    route: '/guilds/*/audit-logs',
    method: 'GET',
    status: 404,
    body,
    times: 1,
  });
  await runOut(user);
  await stage.row('SELECT FROM cases WHERE user_id = $1 AND ended_at IS NOT NULL', [user]);
  expect(banOf(user)).toBeUndefined();
});

test('a mute that is renewed while it is given another end is not taken for one of somebody else', async () => {
  verifies('bot.never-undo-foreign', 'bot.mute.renewed');
  const user = newMember(stage.sandbox);
  await stage.act('mutes.add', 'owner', { user_id: user, duration_minutes: 60, reason: 'Noise' });
  await hideLog();
  const { control, requests } = stage.sandbox;
  const route = `/guilds/${stage.guildId}/members/${user}`;
  const changed = control.addFault({ route, method: 'PATCH', when: 'after', held: true });
  const changing = stage.act('mutes.change', 'owner', { userId: user, duration_minutes: 600 });
  changing.catch(() => {}); // awaited below
  await stage.sandbox.until(() => requests.some(({ fault }) => fault === changed.id));
  const reads = () =>
    requests.filter(({ method, path, status }) => method === 'GET' && path === route && status === 200);
  const before = reads().length;
  const [job] = await query(
    `SELECT j.id FROM cases c, graphile_worker.add_job('renew_mute', json_build_object('case_id', c.id)) AS j
     WHERE c.user_id = $1`,
    [user],
  );
  await stage.sandbox.until(() => reads().length > before);
  // What is done about that read needs less time than another job.
  expect(await runJob(stage, 'overdue_bans')).toBeNull();
  control.clearFaults();
  await changing;
  await stage.row('SELECT WHERE NOT EXISTS (SELECT FROM graphile_worker.jobs WHERE id = $1)', [job.id]);
  expect(await casesOf(user)).toEqual([{ kind: 'mute', duration_minutes: 600, stands: 'in force' }]);
  expect(Date.parse(timeoutOf(user) ?? '') - Date.now()).toBeGreaterThan(590 * 60_000);
});

test('a ban that has run out and cannot be lifted is told once and tried again each hour, until it is lifted', async () => {
  verifies('bot.ban.not-ended');
  const user = newMember(stage.sandbox);
  await banFor(user, 5);
  grantBot(['ViewChannel', 'SendMessages', 'EmbedLinks', 'ReadMessageHistory', 'ViewAuditLog']);
  await stage.row("SELECT FROM roles WHERE name = 'Bailiff' AND permissions & 4 = 0");
  await runOut(user);
  await stage.row('SELECT FROM cases WHERE end_failed_at IS NOT NULL');
  await stage.sandbox.until(() => inLogChannel('could not be lifted').length === 1);
  const tries = async () => {
    await query("SELECT graphile_worker.add_job('overdue_bans', '{}')");
    await stage.row(
      `SELECT FROM graphile_worker.jobs WHERE task_identifier IN ('overdue_bans', 'end_ban', 'tell_guild')
       HAVING count(*) = 0`,
    );
  };
  await tries();
  expect(inLogChannel('could not be lifted')).toHaveLength(1);
  expect(banOf(user)).toBeDefined();
  grantBot([...WITHOUT_LOG, 'ViewAuditLog']);
  await stage.row("SELECT FROM roles WHERE name = 'Bailiff' AND permissions & 4 = 4");
  await tries();
  await stage.sandbox.until(() => banOf(user) === undefined);
});

test('all bans of a guild that could not be lifted are lifted once the one that is tried can be', async () => {
  verifies('bot.ban.not-ended');
  const users = [newMember(stage.sandbox), newMember(stage.sandbox), newMember(stage.sandbox)];
  for (const user of users) await banFor(user, 5);
  grantBot(['ViewChannel', 'SendMessages', 'EmbedLinks', 'ReadMessageHistory', 'ViewAuditLog']);
  await stage.row("SELECT FROM roles WHERE name = 'Bailiff' AND permissions & 4 = 0");
  for (const user of users) await runOut(user);
  await stage.row('SELECT FROM cases WHERE end_failed_at IS NOT NULL HAVING count(*) = 3');
  // A ban of another guild, and a mute, are none of these bans.
  await query(
    "INSERT INTO guilds (id, name, owner_id, tier, left_at) VALUES ('1', 'Left', '2', 'pro', now())",
  );
  await query(
    `INSERT INTO cases (id, guild_id, case_number, kind, user_id, issued_by, expires_at, end_failed_at)
     VALUES ('ban_left', '1', 1, 'ban', '3', '2', now() - interval '1 hour', now()),
       ('mut_over', $1, 90, 'mute', '3', '2', now() - interval '1 hour', now())`,
    [stage.guildId],
  );
  grantBot([...WITHOUT_LOG, 'ViewAuditLog']);
  await stage.row("SELECT FROM roles WHERE name = 'Bailiff' AND permissions & 4 = 4");
  await query("SELECT graphile_worker.add_job('overdue_bans', '{}')");
  await stage.row(
    `SELECT FROM graphile_worker.jobs WHERE task_identifier IN ('overdue_bans', 'end_ban') HAVING count(*) = 0`,
  );
  expect(users.map(banOf)).toEqual([undefined, undefined, undefined]);
  expect(
    await query("SELECT id FROM cases WHERE id IN ('ban_left', 'mut_over') AND end_failed_at IS NULL"),
  ).toEqual([]);
});

const WITHOUT_TIMEOUTS = [...WITHOUT_LOG.filter((name) => name !== 'ModerateMembers'), 'ViewAuditLog'];
const byOwner = (action: 'add_role' | 'remove_role') => (user: string) =>
  stage.sandbox.control.members({ action, user, role: 'Admin', by: 'owner' });

test.each([
  [
    'the bot lost the permission',
    () => grantBot(WITHOUT_TIMEOUTS),
    () => untilGranted([...WITHOUT_LOG, 'ViewAuditLog']),
    'the permission Timeout Members',
  ],
  [
    'their role is above its own by now',
    byOwner('add_role'),
    byOwner('remove_role'),
    'highest role is not below',
  ],
])(
  'a mute that cannot be renewed because %s is told once and tried again each hour',
  async (_why, hinder, allow, words) => {
    verifies('bot.mute.renewed');
    const user = newMember(stage.sandbox);
    await stage.act('mutes.add', 'owner', { user_id: user, reason: 'Noise', duration_minutes: LONG });
    const whole = timeoutOf(user) ?? '';
    // As if most of its time had passed.
    stage.sandbox.control.members({ action: 'timeout', user, minutes: 1, by: stage.sandbox.clientId });
    hinder(user);
    const ended = () =>
      stage.row(
        `SELECT FROM graphile_worker.jobs WHERE task_identifier IN ('overdue_bans', 'tell_guild')
       OR task_identifier = 'renew_mute' AND run_at < now() + interval '1 day' HAVING count(*) = 0`,
      );
    await renew(user);
    await ended();
    const told = () => inLogChannel('could not be renewed').map(({ content }) => content);
    expect(told()).toEqual([expect.stringContaining(words)]);
    await query("SELECT graphile_worker.add_job('overdue_bans', '{}')");
    await ended();
    expect(told()).toHaveLength(1);
    // The overview counts bans.
    expect(await countAttention(stage.test.database, stage.guildId)).toMatchObject({ bans_not_lifted: 0 });
    await allow(user);
    await query("SELECT graphile_worker.add_job('overdue_bans', '{}')");
    await stage.sandbox.until(() => (timeoutOf(user) ?? '') >= whole);
    // If it happens again, it is told anew.
    await stage.row('SELECT FROM cases WHERE user_id = $1 AND end_failed_at IS NULL', [user]);
  },
);

test('a ban that is lifted and made again by hand is on record at once, without who did it, and not lifted later', async () => {
  verifies('bot.ban-events', 'bot.never-undo-foreign');
  const user = newMember(stage.sandbox);
  await banFor(user, 5);
  await hideLog();
  stage.sandbox.control.bans({ action: 'unban', user, by: 'owner' });
  const lifted = await stage.row<{ end_reason: string }>(
    'SELECT end_reason FROM cases WHERE user_id = $1 AND ended_at IS NOT NULL',
    [user],
  );
  expect(lifted.end_reason).toContain('may not read who');
  stage.sandbox.control.bans({ user, by: 'owner', reason: 'Raid, never again' });
  const made = await stage.row<{ issued_by: string; reason: string; expires_at: Date | null }>(
    'SELECT issued_by, reason, expires_at FROM cases WHERE user_id = $1 AND ended_at IS NULL',
    [user],
  );
  expect(made).toMatchObject({ expires_at: null, reason: expect.stringContaining('may not read who') });
  await runOut(user);
  await query("SELECT graphile_worker.add_job('overdue_bans', '{}')");
  await stage.row(
    "SELECT FROM graphile_worker.jobs WHERE task_identifier IN ('overdue_bans', 'end_ban') HAVING count(*) = 0",
  );
  expect(banOf(user)).toMatchObject({ reason: 'Raid, never again' });
});

test('who banned is taken from the audit log where the bot may read it, and a ban of its own is no second case', async () => {
  verifies('bot.ban-events');
  const [byHand, own] = [newMember(stage.sandbox), newMember(stage.sandbox)];
  stage.sandbox.control.bans({ user: byHand, by: 'moderator', reason: 'Raid' });
  await stage.row('SELECT FROM cases WHERE user_id = $1 AND issued_by = $2', [
    byHand,
    stage.people.moderator,
  ]);
  await hideLog();
  await banFor(own, 5);
  const last = newMember(stage.sandbox);
  stage.sandbox.control.bans({ user: last, by: 'owner' });
  await stage.row('SELECT FROM cases WHERE user_id = $1', [last]);
  const cases = 'SELECT user_id, count(*)::int FROM cases WHERE user_id = ANY ($1) GROUP BY user_id';
  for (const { count } of await query(cases, [[byHand, own, last]])) expect(count).toBe(1);
});

test.each([
  ['ban', 'bans.lift', '/guilds/*/bans/*', 'DELETE'],
  ['mute', 'mutes.lift', '/guilds/*/members/*', 'PATCH'],
] as const)(
  'where nobody can know who lifted a %s, its case says so, and moderators are told',
  async (kind, lift, route, method) => {
    verifies('bot.outcome-evidence');
    const user = newMember(stage.sandbox);
    if (kind === 'ban') await banFor(user, 60);
    else await stage.act('mutes.add', 'owner', { user_id: user, reason: 'Noise', duration_minutes: 60 });
    await hideLog();
    stage.sandbox.control.addFault({ route, method, when: 'after', status: 502 });
    expect(await refusalOf(stage.act(lift, 'owner', { userId: user }))).toMatchObject({
      details: { outcome: 'unknown' },
    });
    await recover('2 hours');
    const ended = await stage.row<{ end_reason: string }>(
      'SELECT end_reason FROM cases WHERE user_id = $1 AND ended_at IS NOT NULL',
      [user],
    );
    expect(ended.end_reason).toContain('whether Bailiff lifted it is not known');
    await stage.row(
      "SELECT FROM actions WHERE state = 'unknown' AND operation = $1 AND looked_at = 'infinity'",
      [lift],
    );
    await stage.sandbox.until(() => inLogChannel('It is not known whether Bailiff lifted').length === 1);
  },
);

test('an expired ban that the bot lifted itself is not on record as lifted elsewhere, though the answer was lost', async () => {
  verifies('bot.outcome-evidence', 'bot.ban.expiry');
  const user = newMember(stage.sandbox);
  await banFor(user, 5);
  await hideLog();
  stage.sandbox.control.addFault({ route: BAN, method: 'DELETE', when: 'after', status: 504 });
  await runOut(user);
  await stage.row("SELECT FROM actions WHERE operation = 'bans.lift' AND state = 'unknown'");
  expect(banOf(user)).toBeUndefined();
  const tried = (times: number) =>
    stage.row(
      `SELECT FROM graphile_worker.jobs WHERE task_identifier = 'end_ban'
         AND (attempts < ${times} OR locked_at IS NOT NULL) HAVING count(*) = 0`,
    );
  await tried(1);
  await query("UPDATE graphile_worker._private_jobs SET run_at = now() WHERE key LIKE 'end_ban:%'");
  await tried(2);
  const reasons = () => query('SELECT end_reason FROM cases WHERE user_id = $1', [user]);
  expect(await reasons(), 'it is looked for still').toEqual([{ end_reason: null }]);
  await recover('2 hours');
  await stage.row('SELECT FROM cases WHERE user_id = $1 AND ended_at IS NOT NULL', [user]);
  expect(await reasons()).toEqual([
    { end_reason: expect.stringContaining('whether Bailiff lifted it is not known') },
  ]);
});

test.each([
  ['ban', 'banned', banWithoutAnswer],
  [
    'lifting',
    'lifted the ban of',
    async (user: string) => {
      await banFor(user, 60);
      stage.sandbox.control.addFault({ route: '/guilds/*/bans/*', method: 'DELETE', socket: 'reset' });
      await refusalOf(stage.act('bans.lift', 'owner', { userId: user }));
    },
  ],
])(
  'a %s about which Discord says nothing for a day is given up, and moderators are told',
  async (_what, did, act) => {
    verifies('bot.outcome-evidence', 'actions.never-known');
    await act(newMember(stage.sandbox));
    for (const route of ['/guilds/*/audit-logs', '/guilds/*/bans/*'])
      stage.sandbox.control.addFault({ route, method: 'GET', status: 502, times: null });
    await query("UPDATE actions SET settled_at = now() - interval '25 hours' WHERE state = 'unknown'");
    await recover('25 hours');
    await stage.sandbox.until(() => inLogChannel(`It is not known whether Bailiff ${did}`).length === 1);
    const { error } = await stage.row<{ error: { message: string } }>(
      "SELECT error FROM actions WHERE state = 'unknown' AND looked_at = 'infinity'",
    );
    expect(error.message).toContain('for a day');
    stage.sandbox.control.clearFaults();
  },
);

test('a timeout is not put back while nobody knows yet whether its lifting happened', async () => {
  verifies('bot.outcome-evidence', 'bot.mute.renewed');
  const user = newMember(stage.sandbox);
  await stage.act('mutes.add', 'owner', { user_id: user, reason: 'Noise', duration_minutes: 60 });
  await withoutAnswer('mutes.lift', { userId: user });
  // As where a comparison sees somebody on record as muted, without a timeout.
  await renew(user);
  await stage.row(
    `SELECT count(*)::int AS waiting FROM graphile_worker.jobs WHERE task_identifier = 'renew_mute'
       AND attempts = 0 OR task_identifier = 'renew_mute' AND locked_at IS NOT NULL`,
    [],
    ({ waiting }: { waiting: number }) => waiting === 0,
  );
  expect(timeoutOf(user)).toBeNull();
  await recover();
  await foundDone('mutes.lift');
  await query("UPDATE graphile_worker._private_jobs SET run_at = now() WHERE key LIKE 'renew_mute:%'");
  await stage.row(
    "SELECT FROM graphile_worker.jobs WHERE task_identifier = 'renew_mute' HAVING count(*) = 0",
  );
  expect(timeoutOf(user)).toBeNull();
});

test('a lifting whose person was banned again before it was looked for did happen', async () => {
  verifies('bot.outcome-evidence');
  const user = newMember(stage.sandbox);
  await banFor(user, 60);
  await withoutAnswer('bans.lift', { userId: user });
  stage.sandbox.control.bans({ user, by: 'owner', reason: 'Raid, never again' });
  await recover();
  await stage.row("SELECT FROM actions WHERE state = 'done' AND operation = 'bans.lift'");
});

test('a ban that nobody can lift is told to the moderators after an hour, whatever keeps the bot from lifting it', async () => {
  verifies('bot.ban.not-ended');
  const user = newMember(stage.sandbox);
  await banFor(user, 5);
  stage.sandbox.control.addFault({ route: '/guilds/*/bans/*', method: 'DELETE', status: 500, times: null });
  const triedAfter = async (minutes: number) => {
    await query(
      `WITH over AS (UPDATE cases SET expires_at = now() - make_interval(mins => $2) WHERE user_id = $1 RETURNING id)
       UPDATE graphile_worker._private_jobs SET run_at = now(), attempts = 0
       WHERE key IN (SELECT 'end_ban:' || id FROM over)`,
      [user, minutes],
    );
    await stage.row(
      "SELECT FROM graphile_worker.jobs WHERE task_identifier = 'end_ban' AND attempts > 0 AND locked_at IS NULL",
    );
    await stage.row(
      "SELECT FROM graphile_worker.jobs WHERE task_identifier = 'tell_guild' HAVING count(*) = 0",
    );
  };
  await triedAfter(50);
  expect(inLogChannel('could not be lifted')).toEqual([]);
  await triedAfter(70);
  expect(inLogChannel('could not be lifted')).toHaveLength(1);
  expect(banOf(user)).toBeDefined();
  stage.sandbox.control.clearFaults();
});
