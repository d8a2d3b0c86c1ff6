import { permissionBits } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { performWrite } from '@bailiff/engine/calls/write-call';
import { expect, test } from 'vitest';
import { type ChatStage, chatGuildForEachTest } from './chat-harness.ts';
import { findFirstOut, refusalOf } from './harness.ts';

let stage: ChatStage;
const { spoil } = chatGuildForEachTest({ Moderator: ['channels.write'], Helper: ['mutes.write'] }, (next) => {
  stage = next;
  for (const { id, name, permissions } of guild().roles) {
    if (name !== 'Moderator' && name !== 'Helper') continue;
    const more = String(BigInt(permissions) | (1n << 4n));
    stage.sandbox.control.roles({ action: 'update', role: id, permissions: more });
  }
});

const PERMISSIONS = '/channels/*/permissions/*';
const WRITING = (1n << 11n) | (1n << 38n);

const guild = () => {
  const found = stage.sandbox.getState().guilds.find(({ id }) => id === stage.guildId);
  if (found === undefined) throw new Error('The sandbox has no such guild');
  return found;
};
const channelOf = (name = 'general') => {
  const found = guild().channels.find((each) => each.name === name);
  if (found === undefined) throw new Error(`The guild has no channel ${name}`);
  return found;
};
const everyoneIn = (name = 'general') => channelOf(name).overwrites.find(({ id }) => id === stage.guildId);
const everyone = () => BigInt(guild().roles.find(({ id }) => id === stage.guildId)?.permissions ?? 0);
const overwrite = (allow: string[], deny: string[], channel = 'general') =>
  stage.sandbox.control.channels({
    action: 'update',
    channel,
    overwrite: { of: '@everyone', allow, deny },
  });
const writes =
  (user: string, channel = 'general') =>
  () =>
    stage.sandbox.control.messages({ user, channel, content: 'Hello' });
const lock = (more: object = {}) =>
  stage.act('channels.lock', 'owner', { channel_id: channelOf().id, ...more });
const unlock = () => stage.act('channels.unlock', 'owner', { channelId: channelOf().id });
/** The time of what is in force is over, and the job that ends it is due. */
async function itIsTime(): Promise<void> {
  const { pool } = stage.test.database;
  await pool.query("UPDATE measures SET expires_at = now() - interval '1 second'");
  await pool.query("SELECT graphile_worker.add_job('overdue_bans', '{}')");
}
const ended = (operation: string) =>
  stage.row<{ state: string }>(
    "SELECT state FROM actions WHERE operation = $1 AND actor_source = 'system' AND state <> 'running' AND state <> 'pending'",
    [operation],
  );
const measures = async () => (await stage.test.database.pool.query('SELECT kind FROM measures')).rows;
/** In how many minutes what is in force ends by itself, by its record and by its job. */
const endsIn = () =>
  stage.row<{ minutes: number; job: number }>(
    `SELECT round(extract(epoch FROM expires_at - taken_at) / 60)::int AS minutes,
       round(extract(epoch FROM run_at - taken_at) / 60)::int AS job
     FROM measures, graphile_worker.jobs WHERE task_identifier = 'end_measure'`,
  );

test('/lock keeps members from writing in the channel, and /unlock puts back exactly what stood before', async () => {
  verifies('locks.channel', 'locks.restores');
  overwrite(['SendMessages', 'AddReactions'], ['AttachFiles']);
  const before = everyoneIn();
  await stage.test.database.pool.query('UPDATE guilds SET log_channel_id = $1', [channelOf('mod-log').id]);
  const id = channelOf().id;
  expect(await stage.says('moderator', 'lock', { reason: 'Raid' })).toBe(
    `Done. Members cannot write in <#${id}> until it is unlocked.`,
  );
  expect(writes('member')).toThrow(/lacks the permission/);
  expect(everyoneIn()).toMatchObject({ allow: String(1n << 6n), deny: String(WRITING | (1n << 15n)) });
  const posted = () =>
    channelOf('mod-log')
      .messages.flatMap(({ embeds }) => embeds)
      .find(({ title }) => title === 'Lock a channel');
  const post = await stage.sandbox.until(posted);
  expect(post.description).toMatch(/cannot write in .*\n"Raid"$/);

  expect(await stage.says('moderator', 'unlock')).toBe(
    `Done. <#${id}> is unlocked: what stood before stands again.`,
  );
  expect(everyoneIn()).toEqual(before);
  expect(writes('member')).not.toThrow();
  expect(await measures()).toEqual([]);
});

test('/locks and /slowmodes say what stands, until when, by whom and why', async () => {
  verifies('in-force.chat');
  const { owner, moderator } = stage.people;
  expect(await stage.says('moderator', 'locks')).toBe('Bailiff has locked nothing.');
  expect(await stage.says('moderator', 'slowmodes')).toBe('No channel has a slowmode that ends by itself.');
  const id = channelOf().id;
  await lock({ reason: 'Raid *now*' });
  await stage.says('moderator', 'lockdown start', { duration: '1 hour' });
  await stage.says('moderator', 'slowmode', { wait: '30s', duration: '2 hours', channel: id });
  expect((await stage.says('moderator', 'locks')).split('\n')).toEqual([
    '**Locked now**, newest first',
    expect.stringMatching(new RegExp(`^the whole server · opens again <t:\\d+:R> · by <@${moderator}>$`)),
    `<#${id}> · until somebody ends it · by <@${owner}> "Raid \\*now\\*"`,
  ]);
  expect(await stage.says('moderator', 'slowmodes')).toMatch(
    new RegExp(`<#${id}> · 30 seconds between two messages · as before <t:\\d+:R> · by <@${moderator}>$`),
  );
});

test('a lock is over when its channel is gone', async () => {
  verifies('in-force.gone');
  const { id: channel } = channelOf('off-topic');
  await stage.act('channels.lock', 'owner', { channel_id: channel });
  await lock();
  stage.sandbox.control.channels({ action: 'delete', channel });
  await stage.row(
    "SELECT FROM measures WHERE kind = 'lock' GROUP BY guild_id HAVING array_agg(subject_id) = ARRAY[$1]",
    [channelOf().id],
  );
});

test('an overwrite that a lock made is gone after it, and an empty one that was there is there again', async () => {
  verifies('locks.restores');
  for (const spoiled of [() => {}, () => overwrite([], [])]) {
    spoiled();
    const before = channelOf().overwrites;
    await lock();
    await unlock();
    expect(channelOf().overwrites).toEqual(before);
  }
  expect(everyoneIn()).toMatchObject({ allow: '0', deny: '0' });
});

test('an overwrite that a lock made is gone after a second lock too, before which somebody had opened half of it', async () => {
  verifies('locks.restores');
  await lock();
  overwrite([], ['SendMessagesInThreads']);
  await lock();
  expect(everyoneIn()).toMatchObject({ deny: String(WRITING) });
  await unlock();
  expect(everyoneIn()).toBeUndefined();
});

test.each([
  ['fails', 500],
  ['is refused', 403],
])(
  'a lock that somebody has opened half of stays on record when a second one %s, and ends',
  async (_what, status) => {
    verifies('locks.restores', 'locks.crash');
    overwrite(['SendMessages'], []);
    await lock({ duration_minutes: 60, reason: 'Raid' });
    const { allow } = everyoneIn() ?? {};
    overwrite(['SendMessages'], ['SendMessagesInThreads']);
    const locks = await stage.says('moderator', 'locks');
    const body = { message: 'Missing Permissions', code: 50_013 };
    stage.sandbox.control.addFault({
      route: PERMISSIONS,
      method: 'PUT',
      status,
      ...(status === 403 ? { body } : {}),
    });
    await refusalOf(lock({ duration_minutes: 5, reason: 'Another' }));
    expect([locks, await stage.says('moderator', 'locks')]).toEqual([locks, locks]);
    expect(locks).toContain('Raid');
    await itIsTime();
    expect(await ended('channels.unlock')).toEqual({ state: 'done' });
    expect(everyoneIn()).toMatchObject({ allow: String(1n << 11n), deny: '0' });
    expect([allow, await measures()]).toEqual(['0', []]);
  },
);

test('a lockdown that somebody has opened half of stays on record when a second one fails', async () => {
  verifies('locks.guild', 'locks.crash');
  const before = everyone();
  await stage.act('channels.lockdown', 'owner', {});
  const permissions = String(everyone() | (1n << 11n));
  stage.sandbox.control.roles({ action: 'update', role: '@everyone', permissions });
  stage.sandbox.control.addFault({ route: '/guilds/*/roles/*', method: 'PATCH', status: 500 });
  await refusalOf(stage.act('channels.lockdown', 'owner', {}));
  expect(await measures()).toEqual([{ kind: 'lock' }]);
  await stage.act('channels.reopen', 'owner', {});
  expect([everyone(), await measures()]).toEqual([before, []]);
});

test('a lockdown that is not there is said not to be, without an id', async () => {
  const refusal = await refusalOf(stage.act('channels.reopen', 'owner', {}));
  expect(refusal).toMatchObject({ code: 'NOT_FOUND', message: 'This guild has no lockdown.' });
});

test('a lock that somebody has opened is on record no more when a second one fails', async () => {
  verifies('locks.crash');
  await lock({ duration_minutes: 60 });
  overwrite(['SendMessages'], []);
  stage.sandbox.control.addFault({ route: PERMISSIONS, method: 'PUT', status: 500 });
  await refusalOf(lock());
  expect(await measures()).toEqual([]);
});

test('what others changed while the channel was locked stays as they left it', async () => {
  verifies('locks.leaves-others');
  await lock();
  // Somebody lets members write again, but not in threads, and takes files from them.
  overwrite(['SendMessages'], ['SendMessagesInThreads', 'AttachFiles']);
  await unlock();
  expect(everyoneIn()).toMatchObject({ allow: String(1n << 11n), deny: String(1n << 15n) });
});

test('a lock ends by itself, as an action of the system, also where the bot was not there at that moment', async () => {
  verifies('locks.end');
  const { body } = await lock({ duration_minutes: 60 });
  expect(body).toMatchObject({ lock: { expires_at: expect.any(String), locked_by: stage.people.owner } });
  const { rows } = await stage.test.database.pool.query(
    "SELECT run_at > now() + interval '55 minutes' AS later FROM graphile_worker.jobs WHERE task_identifier = 'end_measure'",
  );
  expect(rows).toEqual([{ later: true }]);
  await itIsTime();
  expect(await ended('channels.unlock')).toEqual({ state: 'done' });
  expect(writes('member')).not.toThrow();
  expect(await measures()).toEqual([]);
});

test.each([
  ['a lock', 'Die Zeit der Sperre ist um', 'channels.unlock', () => lock({ duration_minutes: 60 })],
  [
    'a lockdown',
    'Die Zeit der Sperre ist um',
    'channels.reopen',
    () => stage.act('channels.lockdown', 'owner', { duration_minutes: 60 }),
  ],
  [
    'a slowmode',
    'Die Zeit des Langsam-Modus ist um',
    'channels.slowmode',
    () =>
      stage.act('channels.slowmode', 'owner', {
        channel_id: channelOf().id,
        slowmode_seconds: 30,
        duration_minutes: 60,
      }),
  ],
] as const)(
  'why Bailiff itself ends %s stands in Discord’s audit log in the language of the server',
  async (_what, words, ending, begin) => {
    verifies('bot.own-reasons');
    await stage.test.database.pool.query("UPDATE guilds SET language = 'de' WHERE id = $1", [stage.guildId]);
    await begin();
    const last = stage.sandbox.requests.at(-1)?.id ?? 0;
    await itIsTime();
    expect(await ended(ending)).toEqual({ state: 'done' });
    const reasons = stage.sandbox.requests.flatMap(({ id, reason }) =>
      id <= last || reason === null ? [] : [reason],
    );
    expect([...new Set(reasons)]).toEqual([expect.stringContaining(words)]);
  },
);

test('a second /lock gives the lock another end and changes nothing at Discord', async () => {
  verifies('locks.end');
  await lock();
  const sent = () =>
    stage.sandbox.requests.filter(({ method, path }) => method === 'PUT' && path.includes('/permissions/'));
  expect(sent()).toHaveLength(1);
  expect(await stage.says('moderator', 'lock', { duration: '2 hours' })).toMatch(
    /^Done\. .*opens again <t:\d+:R>\.$/,
  );
  expect(sent()).toHaveLength(1);
  await itIsTime();
  await ended('channels.unlock');
  expect(everyoneIn()).toBeUndefined();
});

test('what is locked in Discord itself is neither locked nor unlocked, and threads have no lock of their own', async () => {
  verifies('locks.leaves-others');
  expect(await stage.says('moderator', 'unlock')).toMatch(/^Not done\. Bailiff has not locked this/);
  overwrite([], ['SendMessages', 'SendMessagesInThreads']);
  expect(await stage.says('moderator', 'lock')).toMatch(/^Not done\. Members cannot write here already/);
  expect(await measures()).toEqual([]);
  stage.sandbox.control.channels({
    action: 'create',
    type: 'public_thread',
    name: 'aside',
    parent: 'general',
    by: 'member',
  });
  expect(await stage.says('moderator', 'lock', {}, 'aside')).toMatch(/^Not done\. This cannot be set/);
});

test('without the permission in Discord nothing is locked, and the answer names it', async () => {
  verifies('locks.permissions');
  const without = { channel: 'general', overwrite: { of: 'Bailiff', deny: ['ManageRoles'] } };
  stage.sandbox.control.channels({ action: 'update', ...without });
  expect(await stage.says('moderator', 'lock')).toMatch(
    /^Not done\. Give the bot's role the permission Manage Roles in #general\./,
  );
  expect(await stage.says('helper', 'lock')).toMatch(/capability channels\.write/);
  expect(writes('member')).not.toThrow();
  expect(await measures()).toEqual([]);
});

test('a refused lock leaves no record, and one whose answer was lost is found, and ends', async () => {
  verifies('locks.crash');
  const fault = { route: PERMISSIONS, method: 'PUT', status: 500 } as const;
  stage.sandbox.control.addFault(fault);
  expect(await refusalOf(lock())).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
  expect([await measures(), everyoneIn()]).toEqual([[], undefined]);

  stage.sandbox.control.addFault({ ...fault, status: 504, when: 'after' });
  const { body } = await lock({ duration_minutes: 10 });
  expect(body).toMatchObject({ lock: { expires_at: expect.any(String) } });
  await itIsTime();
  await ended('channels.unlock');
  expect(everyoneIn()).toBeUndefined();
});

test('a lock that a dying worker left is recorded with what stood before', async () => {
  verifies('locks.crash');
  overwrite(['SendMessages'], []);
  const { body } = await lock({ duration_minutes: 10 });
  expect(body).toMatchObject({ lock: {} });
  const { pool } = stage.test.database;
  // As a worker leaves it that ends between Discord's answer and its record.
  await pool.query('UPDATE measures SET taken_at = NULL, expires_at = NULL');
  await pool.query(
    `UPDATE actions SET state = 'running', settled_at = NULL, lease_expires_at = now() - interval '1 minute'
     WHERE operation = 'channels.lock'`,
  );
  await pool.query("SELECT graphile_worker.add_job('recover', '{}')");
  await stage.row(
    "SELECT FROM measures WHERE taken_at IS NOT NULL AND expires_at > now() + interval '5 minutes'",
  );
  await unlock();
  expect(everyoneIn()).toMatchObject({ allow: String(1n << 11n), deny: '0' });
});

test('a lock that is found out late leaves the end that a moderator has given it since', async () => {
  verifies('locks.crash', 'locks.prolonged');
  await lock({ duration_minutes: 10 });
  await lock({ duration_minutes: 1_440 });
  const expires_at = (
    await stage.row<{ at: Date }>('SELECT expires_at AS at FROM measures')
  ).at.toISOString();
  expect(await findFirstOut(stage)).toMatchObject({ lock: { expires_at } });
  expect(await endsIn()).toEqual({ minutes: 1_440, job: 1_440 });
});

test('an unlock that is found out late leaves the record of a lock that began since', async () => {
  verifies('locks.crash', 'locks.restores');
  await lock();
  await unlock();
  await stage.test.database.pool.query("DELETE FROM actions WHERE operation = 'channels.lock'");
  stage.sandbox.control.addFault({ route: PERMISSIONS, method: 'PUT', held: true });
  const locking = lock();
  await stage.row('SELECT FROM measures WHERE taken_at IS NULL');
  await findFirstOut(stage);
  stage.sandbox.control.clearFaults();
  await locking;
  expect(writes('member')).toThrow(/lacks the permission/);
  expect(await measures()).toEqual([{ kind: 'lock' }]);
  await unlock();
  expect(writes('member')).not.toThrow();
});

test('/lockdown takes writing from @everyone in one step, names what stays open, and gives it back', async () => {
  verifies('locks.guild');
  const before = everyone();
  overwrite(['SendMessages'], [], 'announcements');
  await stage.row(
    `SELECT FROM channels WHERE id = $1 AND overwrites @> jsonb_build_array(jsonb_build_object('id', guild_id, 'allow', $2::text))`,
    [channelOf('announcements').id, String(permissionBits(['SendMessages']))],
  );
  const answer = await stage.says('moderator', 'lockdown start', { duration: '1h', reason: 'Raid' });
  expect(answer).toMatch(/^Done\. Members cannot write in this server; it opens again <t:\d+:R>\./);
  expect(answer).toContain(`<#${channelOf('announcements').id}>`);
  expect(everyone()).toBe(before & ~WRITING);
  expect(writes('newcomer')).toThrow(/lacks the permission/);
  expect(await stage.says('moderator', 'lockdown end')).toBe(
    'Done. Members can write in this server as before.',
  );
  expect(everyone()).toBe(before);
});

test('a lockdown ends by itself, and leaves what the role got meanwhile', async () => {
  verifies('locks.guild', 'locks.leaves-others');
  const before = everyone();
  await stage.act('channels.lockdown', 'owner', { duration_minutes: 5 });
  const permissions = String((everyone() | (1n << 11n)) & ~(1n << 6n));
  stage.sandbox.control.roles({ action: 'update', role: '@everyone', permissions });
  await itIsTime();
  expect(await ended('channels.reopen')).toEqual({ state: 'done' });
  expect(everyone()).toBe(before & ~(1n << 6n));
});

test.each([
  ['says 404 without a code', { message: '404: Not Found', code: 0 }],
  ['says that it knows no such guild', { message: 'Unknown Guild', code: 10_004 }],
])('a lockdown stays on record while Discord %s, and ends when it answers again', async (_what, body) => {
  verifies('H22', 'locks.end');
  const before = everyone();
  await stage.act('channels.lockdown', 'owner', { duration_minutes: 5 });
  stage.sandbox.control.addFault({ route: '/guilds/*/roles', method: 'GET', status: 404, body, times: null });
  await itIsTime();
  expect(await ended('channels.reopen')).toEqual({ state: 'failed' });
  await stage.row(
    `SELECT FROM graphile_worker.jobs WHERE task_identifier = 'end_measure' AND locked_at IS NOT NULL
     HAVING count(*) = 0`,
  );
  expect(await measures()).toEqual([{ kind: 'lock' }]);
  stage.sandbox.control.clearFaults();
  await itIsTime();
  await stage.row('SELECT FROM (VALUES (1)) AS one WHERE NOT EXISTS (SELECT FROM measures)');
  expect(everyone()).toBe(before);
});

test('a bot that may write only as @everyone does not lock the guild: it could not unlock it', async () => {
  verifies('locks.permissions');
  const role = guild().roles.find(({ name }) => name === 'Bailiff');
  const permissions = String(BigInt(role?.permissions ?? 0) & ~(1n << 38n));
  stage.sandbox.control.roles({ action: 'update', role: 'Bailiff', permissions });
  await stage.row("SELECT FROM roles WHERE name = 'Bailiff' AND permissions = $1", [permissions]);
  expect(await stage.says('moderator', 'lockdown start')).toMatch(/permission Send Messages in Threads/);
  expect(everyone() & WRITING).toBe(WRITING);
});

test('a lock whose time is over while the bot is gone from the guild stays on record, for when it is back', async () => {
  verifies('locks.end');
  await lock({ duration_minutes: 5 });
  const { pool } = stage.test.database;
  await pool.query('UPDATE guilds SET left_at = now() WHERE id = $1', [stage.guildId]);
  await pool.query("UPDATE measures SET expires_at = now() - interval '1 second'");
  await pool.query(
    "SELECT graphile_worker.add_job('end_measure', to_json(m), job_key => 'now') FROM measures m",
  );
  await stage.row("SELECT FROM graphile_worker.jobs WHERE key = 'now' HAVING count(*) = 0");
  expect(await measures()).toEqual([{ kind: 'lock' }]);
});

test('/slowmode sets the wait, and with a length what stood before comes back', async () => {
  verifies('slowmode');
  stage.sandbox.control.channels({ action: 'update', channel: 'general', slowmode: 5 });
  const answer = await stage.says('moderator', 'slowmode', { wait: '30s', duration: '2h' });
  expect(answer).toMatch(/members now wait 30 seconds between two messages\. <t:\d+:R> it is as before\.$/);
  expect(channelOf().slowmode).toBe(30);
  await stage.says('moderator', 'slowmode', { wait: '1m', duration: '1h' });
  expect(channelOf().slowmode).toBe(60);
  await itIsTime();
  expect(await ended('channels.slowmode')).toEqual({ state: 'done' });
  expect(channelOf().slowmode).toBe(5);
  expect(await measures()).toEqual([]);
});

test('/slowmode is refused in an announcement channel, which has none, and where Discord sets nothing', async () => {
  verifies('slowmode');
  const refused = /^Not done\. This cannot be set for a channel of this kind/;
  const options = { wait: '30s', duration: '2h' };
  stage.sandbox.control.channels({ action: 'create', type: 'announcement', name: 'news' });
  expect(await stage.says('moderator', 'slowmode', options, 'news')).toMatch(refused);
  // It may be made one after it was looked at.
  stage.sandbox.control.addFault({
    ...{ method: 'PATCH', route: '/channels/*', status: 200 },
    body: { id: channelOf().id, type: 5, guild_id: stage.guildId },
  });
  expect(await stage.says('moderator', 'slowmode', options)).toMatch(refused);
  expect([channelOf().slowmode, channelOf('news').slowmode, await measures()]).toEqual([0, 0, []]);
});

test('a slowmode is over when its time is also in a channel that was made one for announcements since', async () => {
  verifies('slowmode');
  await stage.says('moderator', 'slowmode', { wait: '30s', duration: '2h' });
  const { id } = channelOf();
  stage.sandbox.control.addFault({
    ...{ method: 'GET', route: `/channels/${id}`, status: 200, times: null },
    body: { id, type: 5, guild_id: stage.guildId, name: 'general', permission_overwrites: [] },
  });
  await itIsTime();
  expect(await ended('channels.slowmode')).toEqual({ state: 'done' });
  expect(await measures()).toEqual([]);
  stage.sandbox.control.clearFaults();
});

test('a slowmode that somebody changed meanwhile is left, and one without a length stays', async () => {
  verifies('slowmode');
  const log = channelOf('mod-log').id;
  await stage.test.database.pool.query('UPDATE guilds SET log_channel_id = $1', [log]);
  await stage.says('moderator', 'slowmode', { wait: '30s', duration: '2h' });
  stage.sandbox.control.channels({ action: 'update', channel: 'general', slowmode: 10 });
  await itIsTime();
  expect(await ended('channels.slowmode')).toEqual({ state: 'done' });
  expect([channelOf().slowmode, await measures()]).toEqual([10, []]);
  await stage.sandbox.until(() =>
    channelOf('mod-log').messages.some(({ embeds }) =>
      embeds[0]?.description?.includes('members now wait 10 seconds'),
    ),
  );
  expect(await stage.says('moderator', 'slowmode', { wait: '0' })).toMatch(/has no slowmode now\.$/);
  expect([channelOf().slowmode, await measures()]).toEqual([0, []]);
});

test.each([
  ['one without a length', {}],
  ['one with a length', { duration_minutes: 10 }],
])('%s that is found out late leaves the slowmode that was set since, and its end', async (_, length) => {
  verifies('slowmode', 'locks.crash');
  const set = (slowmode_seconds: number, more: object) =>
    stage.act('channels.slowmode', 'owner', { channel_id: channelOf().id, slowmode_seconds, ...more });
  await set(30, length);
  await set(60, { duration_minutes: 1_440 });
  await findFirstOut(stage);
  expect(channelOf().slowmode).toBe(60);
  expect(await endsIn()).toEqual({ minutes: 1_440, job: 1_440 });
});

test('an action of the system that would set another slowmode than stood before is not performed', async () => {
  verifies('slowmode');
  await stage.says('moderator', 'slowmode', { wait: '30s', duration: '2h' });
  await stage.test.database.pool.query("UPDATE measures SET expires_at = now() - interval '1 second'");
  const forged = performWrite(stage.engine, {
    operation: 'channels.slowmode',
    input: { channel_id: channelOf().id, slowmode_seconds: 600, reason: 'Forged' },
    guildId: stage.guildId,
    actor: { source: 'system', userId: stage.sandbox.clientId },
    requestId: 'req_forged',
    address: null,
  });
  expect(await refusalOf(forged)).toMatchObject({ code: 'NOT_FOUND' });
  expect(channelOf().slowmode).toBe(30);
});

test('a lock whose end Discord forbids stays on record, the moderators are told once, and it ends when it can', async () => {
  verifies('locks.end');
  await stage.test.database.pool.query('UPDATE guilds SET log_channel_id = $1', [channelOf('mod-log').id]);
  await lock({ duration_minutes: 5 });
  const deny = (names: string[]) =>
    stage.sandbox.control.channels({
      action: 'update',
      channel: 'general',
      overwrite: { of: 'Bailiff', deny: names },
    });
  deny(['ManageRoles']);
  await itIsTime();
  const told = () =>
    channelOf('mod-log').messages.filter(({ content }) =>
      content.startsWith('Bailiff could not end the lock'),
    );
  await stage.sandbox.until(() => told().length > 0);
  expect(await measures()).toHaveLength(1);
  await itIsTime();
  await stage.row(
    "SELECT FROM graphile_worker.jobs WHERE task_identifier IN ('overdue_bans', 'end_measure') HAVING count(*) = 0",
  );
  expect(told()).toHaveLength(1);
  deny([]);
  await itIsTime();
  await stage.row('SELECT FROM (VALUES (1)) AS one WHERE NOT EXISTS (SELECT FROM measures)');
  expect(told()).toHaveLength(1);
  expect(writes('member')).not.toThrow();
});

const TWO = ['general', 'announcements'];

/** Says what the bot may not do in a channel. */
function deny(channel: string, permissions: string[]): void {
  const overwrite = { of: 'Bailiff', deny: permissions };
  stage.sandbox.control.channels({ action: 'update', channel, overwrite });
}

/** Locks two channels for a time that is over then, when the bot may end neither lock. */
async function forbidToEndTwo(): Promise<void> {
  for (const name of TWO) await lock({ channel_id: channelOf(name).id, duration_minutes: 5 });
  for (const name of TWO) deny(name, ['ManageRoles']);
  await itIsTime();
}

test('all locks whose end Discord forbade end once the one that is tried can', async () => {
  verifies('locks.end');
  await forbidToEndTwo();
  await stage.row('SELECT FROM measures WHERE end_failed_at IS NOT NULL HAVING count(*) = 2');
  for (const name of TWO) deny(name, []);
  await stage.test.database.pool.query(
    `SELECT graphile_worker.add_job('end_measure', json_build_object('guild_id', guild_id, 'kind', kind,
       'subject_id', subject_id)) FROM measures LIMIT 1`,
  );
  await stage.row('SELECT FROM (VALUES (1)) AS one WHERE NOT EXISTS (SELECT FROM measures)');
  expect(writes('member')).not.toThrow();
});

test('a lock that can end again does not wait for one that cannot, of which nobody is told a second time', async () => {
  verifies('locks.end');
  await stage.test.database.pool.query('UPDATE guilds SET log_channel_id = $1', [channelOf('mod-log').id]);
  const before = everyoneIn('announcements');
  await forbidToEndTwo();
  const told = () =>
    channelOf('mod-log').messages.filter(({ content }) =>
      content.startsWith('Bailiff could not end the lock'),
    );
  await stage.sandbox.until(() => told().length === 2);
  deny('announcements', []);
  await itIsTime();
  await stage.row(
    `SELECT FROM graphile_worker.jobs WHERE task_identifier IN ('overdue_bans', 'end_measure', 'tell_guild')
     HAVING count(*) = 0`,
  );
  expect(everyoneIn('announcements')).toEqual(before);
  expect(writes('member')).toThrow(/lacks the permission/);
  expect([await measures(), told().length]).toEqual([[{ kind: 'lock' }], 2]);
});

test('a lock whose channel is not there any more when its time is over is over', async () => {
  verifies('in-force.gone');
  await lock({ duration_minutes: 5 });
  // Nobody told the bot that it was deleted.
  const body = { code: 10003, message: 'Unknown Channel' };
  stage.sandbox.control.addFault({ route: '/channels/*', method: 'GET', status: 404, body, times: null });
  await itIsTime();
  await stage.row('SELECT FROM (VALUES (1)) AS one WHERE NOT EXISTS (SELECT FROM measures)');
  stage.sandbox.control.clearFaults();
});

/** Somebody gives every measure another end at the moment at which an action that ends it is recorded. */
const PROLONGED = `CREATE FUNCTION prolong() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN UPDATE measures SET expires_at = now() + interval '1 hour'; RETURN NULL; END $$;
  CREATE TRIGGER prolong AFTER INSERT ON actions FOR EACH ROW WHEN (NEW.actor_source = 'system')
    EXECUTE FUNCTION prolong()`;

test('a lock that gets another end while its own end begins stays, and so does its record', async () => {
  verifies('locks.prolonged');
  spoil();
  await lock({ duration_minutes: 60 });
  await stage.test.database.pool.query(PROLONGED);
  await itIsTime();
  expect(await ended('channels.unlock')).toEqual({ state: 'failed' });
  await stage.row(
    'SELECT FROM (VALUES (1)) AS one WHERE NOT EXISTS (SELECT FROM graphile_worker.jobs WHERE locked_at IS NOT NULL)',
  );
  expect(await measures()).toEqual([{ kind: 'lock' }]);
  expect(writes('member')).toThrow(/lacks the permission/);
});

test('a lock that gets another end while Discord unlocks the channel is locked again', async () => {
  verifies('locks.prolonged');
  await lock({ duration_minutes: 60 });
  stage.sandbox.control.addFault({ route: PERMISSIONS, method: 'DELETE', held: true });
  await itIsTime();
  const asked = () =>
    stage.sandbox.requests.some(({ method, path }) => method === 'DELETE' && path.includes('/permissions/'));
  await stage.sandbox.until(asked);
  const prolonging = lock({ duration_minutes: 120 });
  await stage.row("SELECT FROM actions WHERE operation = 'channels.lock' OFFSET 1");
  stage.sandbox.control.clearFaults();
  expect(await ended('channels.unlock')).toEqual({ state: 'done' });
  expect((await prolonging).body).toMatchObject({ lock: { expires_at: expect.any(String) } });
  expect(writes('member')).toThrow(/lacks the permission/);
  expect(await measures()).toEqual([{ kind: 'lock' }]);
});
