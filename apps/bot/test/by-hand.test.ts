import { verifies } from '@bailiff/core/testing';
import { type ManualAction, recordManualAction } from '@bailiff/engine/cases/by-hand';
import { marksOf } from '@bailiff/engine/cases/case-list';
import type { CaseRow } from '@bailiff/engine/cases/cases';
import { AuditLogEvent, PermissionFlagsBits } from 'discord.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { manualActionOf, timeOf } from '#src/audit-entries.ts';
import type { Bot } from '#src/bot.ts';
import { catchUp } from '#src/by-hand.ts';
import { createDiscordApi } from '#src/discord-api.ts';
import { createLog } from '#src/log.ts';
import { createPaces } from '#src/pacing.ts';
import { bot, newMember as join, personOf, type Stage, setStage } from './harness.ts';

let stage: Stage;
/** The bot that runs now. Some tests stop it and start it again. */
let running: Bot;
/** What the bot warned of. */
const warnings: string[] = [];
const log = createLog('warn', [], (line) => void warnings.push(line));
beforeAll(async () => {
  stage = await setStage({}, {}, { log });
  running = stage.bot;
});
afterAll(async () => {
  const { violations } = stage.sandbox;
  await running.stop();
  await stage.close();
  expect(violations).toEqual([]);
});

const id = (name: string) => personOf(stage.sandbox, name);
const ban = (user: string, by = 'moderator', reason?: string) =>
  stage.sandbox.control.bans({ user, by, ...(reason === undefined ? {} : { reason }) });
const unban = (user: string, by = 'moderator') => stage.sandbox.control.bans({ action: 'unban', user, by });
const timeout = (user: string, minutes: number, by = 'moderator') =>
  stage.sandbox.control.members({ action: 'timeout', user, minutes, by });
const liftTimeout = (user: string, by = 'moderator') =>
  stage.sandbox.control.members({ action: 'lift_timeout', user, by });

function byHandDeps() {
  const { discordToken: token, discordApiUrl: apiUrl } = stage.config;
  return { api: createDiscordApi({ token, apiUrl, log: createLog('silent', []) }), paces: createPaces() };
}

const newMember = (name: string) => join(stage.sandbox, name);

type Case = CaseRow & { active: boolean };
const CASES = `SELECT *, ended_at IS NULL AND (expires_at IS NULL OR expires_at > now()) AS active FROM cases
  WHERE user_id = $1 ORDER BY case_number`;

async function casesOf(userId: string): Promise<Case[]> {
  return (await stage.test.database.pool.query<Case>(CASES, [userId])).rows;
}

/** A user's latest case, once it `fits`. */
const latest = (userId: string, fits: (row: Case) => boolean = () => true) =>
  stage.row<Case>(CASES.replace('case_number', 'case_number DESC LIMIT 1'), [userId], fits);

/** Waits until everything done so far is recorded: a guild's entries are recorded one after the other. */
async function everythingRecorded(): Promise<void> {
  const last = newMember('Marker');
  ban(last);
  await latest(last);
}

async function whileAway(work: () => Promise<void> | void): Promise<void> {
  await running.stop();
  await work();
  running = await bot(stage.config, log);
  await running.settled;
}

test('a guild that the mirror does not know is not asked about for ever', async () => {
  const { api, paces } = byHandDeps();
  const deps = { db: stage.test.database, api, paces, log: createLog('silent', []) };
  const unknown = '100000000000000001';
  const { signal } = new AbortController();
  await expect(catchUp(deps, 'bot', unknown, signal)).rejects.toThrow(/does not know the guild/);
  await paces.close();
});

test('a ban made and lifted in Discord itself is a case, with who did it and why', async () => {
  const user = newMember('Hank');
  ban(user, 'moderator', 'Selling accounts');
  const made = await latest(user);
  expect(made).toMatchObject({
    kind: 'ban',
    reason: 'Selling accounts',
    issued_by: id('moderator'),
    expires_at: null,
    action_id: null,
    active: true,
  });
  unban(user, 'owner');
  await latest(user, ({ ended_by }) => ended_by === id('owner'));
  expect(await casesOf(user)).toHaveLength(1);
  const { rows } = await stage.test.database.pool.query(
    'SELECT actor_source, actor_user_id, operation, outcome, details FROM audit WHERE target_id = $1 ORDER BY id',
    [user],
  );
  const details = { by_hand: true, case_id: made.id, case_number: made.case_number };
  const told = { actor_source: 'chat', outcome: 'performed', details: expect.objectContaining(details) };
  expect(rows).toEqual([
    { ...told, actor_user_id: id('moderator'), operation: 'bans.add' },
    { ...told, actor_user_id: id('owner'), operation: 'bans.lift' },
  ]);
});

test('a ban by hand whose reason has a character that no database stores is a case, and so are later ones', async () => {
  const [away, live, next] = [newMember('Nil'), newMember('Nul'), newMember('Ned')];
  await whileAway(() => {
    ban(away, 'moderator', 'Spam\u0000bot');
  });
  expect(await latest(away)).toMatchObject({ reason: 'Spam\ufffdbot', issued_by: id('moderator') });
  ban(live, 'moderator', 'Spam\u0000bot');
  expect(await latest(live)).toMatchObject({ reason: 'Spam\ufffdbot' });
  ban(next);
  await latest(next);
});

test('an entry of the audit log that cannot be recorded keeps no other from being recorded', async () => {
  const { control, clientId, guildId } = stage.sandbox;
  const [strange, next] = [newMember('Eternity'), newMember('Later')];
  const firstId = (BigInt(Date.now()) - 1_420_070_400_000n) << 22n;
  const by = id('moderator');
  const body = {
    audit_log_entries: [
      {
        id: String(firstId),
        action_type: AuditLogEvent.MemberUpdate,
        target_id: strange,
        user_id: by,
        // More minutes than a case can last.
        changes: [{ key: 'communication_disabled_until', new_value: '9999-01-01T00:00:00+00:00' }],
      },
      { id: String(firstId + 1n), action_type: AuditLogEvent.MemberBanAdd, target_id: next, user_id: by },
    ],
  };
  control.addFault({ method: 'GET', route: '/guilds/*/audit-logs', status: 200, body });
  const { api, paces } = byHandDeps();
  const deps = { db: stage.test.database, api, paces, log: createLog('silent', []) };
  expect(await catchUp(deps, clientId, guildId, AbortSignal.timeout(60_000))).toBe(true);
  await paces.close();
  expect(await casesOf(strange)).toEqual([]);
  expect(await casesOf(next)).toMatchObject([{ kind: 'ban', issued_by: by, active: true }]);
});

test('a ban older than Bailiff is lifted, and on record with its reason, whatever characters that has', async () => {
  const { bans } = stage.sandbox.getState().guilds[0] ?? { bans: [] };
  const known = new Set(bans.map(({ user_id }) => user_id));
  stage.sandbox.control.bans({ action: 'old', count: 1, reason: 'Long\u0000ago' });
  const old = stage.sandbox.getState().guilds[0]?.bans.find(({ user_id }) => !known.has(user_id));
  const userId = old?.user_id ?? '';
  const lifted = await stage.act('bans.lift', 'owner', { userId, reason: 'Appealed' });
  expect(lifted.body).toMatchObject({ ban: { reason: 'Long\ufffdago', active: false } });
});

test('a timeout given, changed and taken off in Discord itself is a case each time it is given', async () => {
  const user = newMember('Tim');
  timeout(user, 30);
  const first = await latest(user);
  expect(first).toMatchObject({
    kind: 'mute',
    duration_minutes: 30,
    issued_by: id('moderator'),
    active: true,
  });
  timeout(user, 90, 'owner');
  const second = await latest(user, ({ issued_by }) => issued_by === id('owner'));
  expect(second).toMatchObject({ duration_minutes: 90, active: true });
  liftTimeout(user);
  await latest(user, ({ ended_by }) => ended_by === id('moderator'));
  const cases = await casesOf(user);
  expect(cases.map(({ active, end_reason }) => [active, end_reason])).toEqual([
    [false, 'Replaced by a later mute'],
    [false, null],
  ]);
  const ids = cases.map((each) => each.id);
  const marks = await marksOf(stage.test.database, first.guild_id, ids);
  expect(ids.map((each) => marks.get(each)?.isReplaced)).toEqual([true, false]);
});

test.each([
  [1_000, 'mutes.add'],
  [0, 'mutes.lift'],
  [-1_000, 'mutes.lift'],
])('a timeout that is set to end %i ms after it is set is %s', (lasts, operation) => {
  const entryId = '1574064500754087967';
  const after = (ms: number) => new Date(timeOf(entryId) + ms).toISOString();
  const entry = {
    id: entryId,
    target_id: id('troll'),
    user_id: id('moderator'),
    action_type: AuditLogEvent.MemberUpdate,
    changes: [
      { key: 'communication_disabled_until' as const, old_value: after(60_000), new_value: after(lasts) },
    ],
  };
  expect(manualActionOf(stage.guildId, entry, stage.sandbox.clientId)).toMatchObject({
    operation,
    until: new Date(after(operation === 'mutes.add' ? lasts : 60_000)),
  });
});

test('a mute that ran out by itself is not replaced or lifted by what comes after it', async () => {
  const user = newMember('Otto');
  await stage.act('mutes.add', 'owner', { user_id: user, duration_minutes: 5, reason: 'Noise' });
  await stage.test.database.pool.query(
    "UPDATE cases SET issued_at = now() - interval '1 day', expires_at = now() - interval '1 hour' WHERE user_id = $1",
    [user],
  );
  timeout(user, 30);
  await latest(user, ({ issued_by }) => issued_by === id('moderator'));
  await stage.act('mutes.lift', 'owner', { userId: user });
  expect((await casesOf(user)).map(({ ended_by }) => ended_by)).toEqual([null, id('owner')]);
});

test('what Bailiff did itself is no second case', async () => {
  const user = newMember('Otis');
  await stage.act('mutes.add', 'owner', { user_id: user, duration_minutes: 60, reason: 'Noise' });
  await stage.act('mutes.lift', 'owner', { userId: user });
  await stage.act('bans.add', 'owner', { user_id: user, reason: 'Spam' });
  const long = newMember('Long');
  await stage.act('mutes.add', 'owner', { user_id: long, duration_minutes: 60 * 24 * 100, reason: 'Noise' });
  const renewed = stage.sandbox.nextRequest('PATCH', '/guilds/{guild_id}/members/{user_id}');
  await stage.test.database.pool.query(
    "SELECT graphile_worker.add_job('renew_mute', json_build_object('case_id', id), job_key => 'renew_mute:' || id) FROM cases WHERE user_id = $1",
    [long],
  );
  await renewed;
  await everythingRecorded();
  expect((await casesOf(long)).map(({ active }) => active)).toEqual([true]);
  expect((await casesOf(user)).map(({ kind, active }) => [kind, active])).toEqual([
    ['mute', false],
    ['ban', true],
  ]);
});

test('the latest word counts: a hand ends or replaces what Bailiff did', async () => {
  const [banned, muted, shortened] = ['Bo', 'Mo', 'Sho'].map(newMember) as [string, string, string];
  await stage.act('bans.add', 'owner', { user_id: banned, reason: 'Spam', duration_minutes: 60 });
  for (const user_id of [muted, shortened]) {
    await stage.act('mutes.add', 'owner', { user_id, reason: 'Noise', duration_minutes: 600 });
  }
  unban(banned);
  liftTimeout(muted);
  timeout(shortened, 5);
  const lifted = { active: false, ended_by: id('moderator') };
  expect(await latest(banned, ({ active }) => !active)).toMatchObject(lifted);
  expect(await latest(muted, ({ active }) => !active)).toMatchObject(lifted);
  expect(await latest(shortened, ({ issued_by }) => issued_by === id('moderator'))).toMatchObject({
    duration_minutes: 5,
    active: true,
  });
  expect(await casesOf(shortened)).toHaveLength(2);
});

test('a hand that comes while Bailiff acts on the same person waits for how that ends', async () => {
  const user = newMember('Quick');
  stage.sandbox.control.addFault({ route: '/guilds/*/bans/*', method: 'PUT', when: 'after', held: true });
  const banning = stage.act('bans.add', 'owner', { user_id: user, reason: 'Spam' });
  await stage.sandbox.until(() => isBanned(user));
  unban(user);
  stage.sandbox.control.clearFaults();
  await banning;
  await latest(user, ({ ended_by }) => ended_by === id('moderator'));
  expect(await casesOf(user)).toHaveLength(1);
});

test('of very many entries at once those beyond a bound are read from the log, and none is lost', async () => {
  const [busy, often, last] = ['Busy', 'Often banned', 'Last'].map(newMember) as [string, string, string];
  stage.sandbox.control.addFault({ route: '/guilds/*/bans/*', method: 'PUT', when: 'after', held: true });
  const banning = stage.act('bans.add', 'owner', { user_id: busy, reason: 'Spam' });
  await stage.sandbox.until(() => isBanned(busy));
  const reads = () => stage.sandbox.requests.filter(({ path }) => path.includes('/audit-logs')).length;
  const before = reads();
  // Nothing is recorded until Bailiff's own ban is settled.
  unban(busy);
  for (let pair = 0; pair < 150; pair += 1) {
    ban(often);
    unban(often);
  }
  ban(last, 'moderator', 'The last of all');
  expect(reads()).toBe(before);
  stage.sandbox.control.clearFaults();
  await banning;
  expect(await latest(last)).toMatchObject({ reason: 'The last of all' });
  expect(reads()).toBeGreaterThan(before);
  // So nobody is told that one was not recorded.
  expect(warnings.filter((line) => line.includes('a ban was not recorded'))).toEqual([]);
});

function isBanned(user: string): boolean {
  const { guilds } = stage.sandbox.getState();
  return guilds.some(({ bans }) => bans.some(({ user_id }) => user_id === user));
}

test('what was done while the bot was away is recorded when it is back, in order, and once', async () => {
  const [banned, back, again, muted] = ['Ann', 'Ben', 'Cy', 'Dee'].map(newMember) as [
    string,
    string,
    string,
    string,
  ];
  await stage.act('mutes.add', 'owner', { user_id: muted, reason: 'Noise', duration_minutes: 600 });
  await everythingRecorded();
  const startedAt = Date.now();
  await whileAway(() => {
    ban(banned, 'owner');
    ban(back);
    unban(back);
    // More than Discord returns at once.
    for (let turn = 0; turn < 60; turn += 1) {
      for (const action of ['add_role', 'remove_role'] as const) {
        stage.sandbox.control.members({ action, user: 'member', role: 'Helper', by: 'owner' });
      }
    }
    ban(again);
    unban(again);
    ban(again, 'owner');
    liftTimeout(muted);
    // Discord fails when it is asked for the first time.
    stage.sandbox.control.addFault({ route: `/guilds/${stage.guildId}/audit-logs`, status: 500 });
  });
  await latest(muted, ({ active }) => !active);
  const standing = async (user: string) =>
    (await casesOf(user)).map(({ kind, issued_by, active }) => [kind, issued_by, active]);
  const expected = [
    [banned, [['ban', id('owner'), true]]],
    [back, [['ban', id('moderator'), false]]],
    [
      again,
      [
        ['ban', id('moderator'), false],
        ['ban', id('owner'), true],
      ],
    ],
    [muted, [['mute', id('owner'), false]]],
  ] as const;
  for (const [user, cases] of expected) expect(await standing(user)).toEqual(cases);
  const [first] = await casesOf(banned);
  expect(first?.issued_at.getTime()).toBeGreaterThan(startedAt - 1000);
  await whileAway(() => {});
  await everythingRecorded();
  for (const [user, cases] of expected) expect(await standing(user)).toEqual(cases);
});

test('a bot ends although Discord does not answer what was missed, and the next one records it', async () => {
  const user = newMember('Kim');
  await whileAway(() => {
    ban(user);
    stage.sandbox.control.addFault({
      route: '/guilds/*/audit-logs',
      method: 'GET',
      status: 500,
      times: null,
    });
  });
  await whileAway(() => void stage.sandbox.control.clearFaults());
  expect(await latest(user)).toMatchObject({ kind: 'ban', issued_by: id('moderator') });
});

test('a ban made by hand is on record also of who is banned by an imported record alone', async () => {
  verifies('bot.ban-events', 'imports.records-only');
  const user = newMember('Ida');
  const { pool } = stage.test.database;
  await pool.query("SELECT open_case($1, 'ban', 'ban', $2, 'Elsewhere', $3, NULL, NULL)", [
    stage.guildId,
    user,
    id('owner'),
  ]);
  await pool.query(
    "UPDATE cases SET issued_at = now() - interval '1 year', import_id = 'imp_1' WHERE user_id = $1",
    [user],
  );
  ban(user, 'owner', 'Raid');
  await latest(user, ({ reason }) => reason === 'Raid');
  expect(await casesOf(user)).toMatchObject([
    { active: false, import_id: 'imp_1', end_reason: 'Replaced by a later ban' },
    { active: true, import_id: null, issued_by: id('owner') },
  ]);
  const { rows } = await pool.query('SELECT actor_user_id, operation FROM audit WHERE target_id = $1', [
    user,
  ]);
  expect(rows).toEqual([{ actor_user_id: id('owner'), operation: 'bans.add' }]);
});

test('the log is read again from a minute before what is recorded, because entries arrive late', async () => {
  const user = newMember('Just Now');
  await whileAway(async () => {
    await stage.test.database.pool.query("UPDATE discord_log_positions SET read_from = '0'");
    ban(user);
  });
  await latest(user);
  const { read_from } = await stage.row<{ read_from: string }>(
    'SELECT read_from FROM discord_log_positions WHERE guild_id = $1',
    [stage.guildId],
    (row) => row.read_from !== '0',
  );
  const banned = stage.sandbox.getState().guilds[0]?.audit_log.find(({ target_id }) => target_id === user);
  expect(timeOf(banned?.id ?? '') - timeOf(read_from)).toBe(60_000);
});

test('what is recorded while the bot runs is read again from a minute before it, too', async () => {
  const user = newMember('Right Now');
  await stage.test.database.pool.query("UPDATE discord_log_positions SET read_from = '0'");
  ban(user);
  await latest(user);
  const { read_from } = await stage.row<{ read_from: string }>(
    'SELECT read_from FROM discord_log_positions WHERE guild_id = $1',
    [stage.guildId],
    (row) => row.read_from !== '0',
  );
  const banned = stage.sandbox.getState().guilds[0]?.audit_log.find(({ target_id }) => target_id === user);
  expect(timeOf(banned?.id ?? '') - timeOf(read_from)).toBe(60_000);
});

test('a ban that ran out is not lifted from under one that was made by hand while the bot was away', async () => {
  const user = newMember('Twice');
  await stage.act('bans.add', 'owner', { user_id: user, reason: 'Spam', duration_minutes: 5 });
  await whileAway(async () => {
    unban(user);
    ban(user, 'owner', 'For good');
    const { pool } = stage.test.database;
    await pool.query("UPDATE cases SET expires_at = now() - interval '1 second' WHERE user_id = $1", [user]);
    // Due jobs run before Discord reports what happened meanwhile.
    stage.sandbox.control.addFault({ route: `/guilds/${stage.guildId}/audit-logs`, status: 500 });
  });
  await latest(user, ({ reason }) => reason === 'For good');
  await stage.row(
    "SELECT count(*) AS left FROM graphile_worker.jobs WHERE task_identifier = 'end_ban' AND run_at <= now()",
    [],
    ({ left }: { left: string }) => left === '0',
  );
  expect(isBanned(user)).toBe(true);
  expect((await casesOf(user)).map(({ active }) => active)).toEqual([false, true]);
});

function messagesIn(channel: string) {
  const { guilds } = stage.sandbox.getState(1000);
  const id = stage.sandbox.channels[channel];
  return guilds.flatMap(({ channels }) => channels).find((each) => each.id === id)?.messages ?? [];
}

test('without View Audit Log only bans are recorded, as seen; the guild is told so once; with it again, what was missed is', async () => {
  const { roles } = stage.sandbox.getState().guilds.find((guild) => guild.id === stage.guildId) ?? {
    roles: [],
  };
  const permissions = BigInt(roles.find(({ name }) => name === 'Bailiff')?.permissions ?? 0);
  const grantBot = (bits: bigint) =>
    stage.sandbox.control.roles({ action: 'update', role: 'Bailiff', permissions: String(bits) });
  const isReadable = (wanted: boolean) =>
    stage.row('SELECT FROM discord_log_positions WHERE guild_id = $1 AND is_readable = $2', [
      stage.guildId,
      wanted,
    ]);
  const [missed, next, seen] = [newMember('Missed'), newMember('Next'), newMember('Seen')];
  await stage.test.database.pool.query('UPDATE guilds SET log_channel_id = $2 WHERE id = $1', [
    stage.guildId,
    stage.sandbox.channels.mod_log,
  ]);
  await whileAway(() => {
    grantBot(permissions & ~PermissionFlagsBits.ViewAuditLog);
    ban(missed);
  });
  await isReadable(false);
  const refusedReads = () =>
    stage.sandbox.requests.filter(
      ({ path, status }) => path === `/guilds/${stage.guildId}/audit-logs` && status === 403,
    ).length;
  const refused = refusedReads();
  await whileAway(() => {});
  expect(refusedReads()).toBe(refused);
  const told = () => messagesIn('mod_log').filter(({ content }) => content.includes('View Audit Log'));
  await stage.sandbox.until(() => told().length > 0);
  expect(await casesOf(missed)).toEqual([]);
  ban(seen, 'moderator', 'Raid');
  const unnamed = await latest(seen);
  expect(unnamed).toMatchObject({ active: true, reason: expect.stringContaining('may not read who') });
  expect(unnamed.issued_by).not.toBe(id('moderator'));
  grantBot(permissions);
  ban(next);
  await latest(next);
  await latest(missed);
  // What was seen says now who did it and why.
  const named = await latest(seen, ({ issued_by }) => issued_by === id('moderator'));
  expect(named).toMatchObject({ id: unnamed.id, reason: 'Raid' });
  await isReadable(true);
  await stage.row(
    "SELECT FROM graphile_worker.jobs WHERE task_identifier = 'tell_guild' HAVING count(*) = 0",
  );
  expect(told()).toHaveLength(1);
  // The case is posted there as any other.
  await stage.sandbox.until(() => JSON.stringify(messagesIn('mod_log')).includes(next));
});

test('an entry that is told many times, also at once, is one case, and numbers have no gaps', async () => {
  const user = newMember('Often');
  const action: ManualAction = {
    guildId: stage.guildId,
    entryId: '1400000000000000000',
    operation: 'bans.add',
    userId: user,
    by: id('owner'),
    reason: null,
    at: new Date(),
    until: null,
  };
  const { database } = stage.test;
  const told = await Promise.all(
    Array.from({ length: 10 }, () => recordManualAction(database, action, stage.sandbox.clientId)),
  );
  expect(told.filter((outcome) => outcome === 'recorded')).toHaveLength(1);
  // For a banned user, another manual ban changes nothing.
  expect(
    await recordManualAction(database, { ...action, entryId: '1400000000000000001' }, stage.sandbox.clientId),
  ).toBe('unchanged');
  expect(await casesOf(user)).toHaveLength(1);
  const { rows } = await database.pool.query(
    'SELECT count(*)::int AS count, max(case_number) AS highest FROM cases WHERE guild_id = $1',
    [stage.guildId],
  );
  expect(rows[0].count).toBe(rows[0].highest);
});

test('a lifting by Bailiff that is seen when it is on record already is not one by hand', async () => {
  verifies('bot.ban-events');
  const user = newMember('Late');
  const bot = id('owner');
  await stage.act('bans.add', 'owner', { user_id: user, reason: 'Spam', duration_minutes: 60 });
  await stage.act('bans.lift', 'owner', { userId: user });
  const seen = {
    guildId: stage.guildId,
    entryId: `bans.lift:${user}:1`,
    operation: 'bans.lift',
    userId: user,
    by: bot,
    isAnonymous: true,
    reason: null,
    at: new Date(Date.now() + 1_000),
    until: null,
  } as const;
  expect(await recordManualAction(stage.test.database, seen, bot)).toBe('unchanged');
  expect(await casesOf(user)).toHaveLength(1);
  // Nothing was on record of somebody else, whose ban is older than Bailiff.
  const other = newMember('Long banned');
  const ofOther = { ...seen, userId: other, entryId: `bans.lift:${other}:1` };
  expect(await recordManualAction(stage.test.database, ofOther, bot)).toBe('recorded');
});

test('a ban that was seen without a name hours ago is not given to who bans the same person now', async () => {
  verifies('bot.ban-events');
  const user = newMember('Again');
  const at = (minutesAgo: number) => new Date(Date.now() - minutesAgo * 60_000);
  const clientId = stage.sandbox.clientId;
  const record = (entryId: string, manual: Pick<ManualAction, 'operation' | 'by' | 'at' | 'isAnonymous'>) =>
    recordManualAction(
      stage.test.database,
      { guildId: stage.guildId, entryId, userId: user, reason: null, until: null, ...manual },
      clientId,
    );
  const ban = { operation: 'bans.add' } as const;
  await record(`bans.add:${user}:1`, { ...ban, by: clientId, at: at(120), isAnonymous: true });
  await record('1400000000000000011', { operation: 'bans.lift', by: id('moderator'), at: at(60) });
  await record('1400000000000000012', { ...ban, by: id('owner'), at: at(1) });
  expect((await casesOf(user)).map(({ issued_by, active }) => [issued_by, active])).toEqual([
    [clientId, false],
    [id('owner'), true],
  ]);
});

/** A ban that an import brought, with what its file says of it. Returns the banned, and how to do something by hand. */
async function importedBan(told: string) {
  const user = newMember('From East');
  const { pool } = stage.test.database;
  const values = [stage.guildId, user, id('owner')];
  await pool.query("SELECT open_case($1, 'ban', 'ban', $2, 'Elsewhere', $3, NULL, NULL)", values);
  await pool.query(`UPDATE cases SET import_id = 'imp_1', ${told} WHERE user_id = $1`, [user]);
  let entries = 0;
  const byHand = (operation: 'bans.add' | 'bans.lift', minutesAgo: number) => {
    entries += 1;
    const at = new Date(Date.now() - minutesAgo * 60_000);
    const entryId = `${user.slice(0, -1)}${entries}`;
    const manual = { guildId: stage.guildId, entryId, operation, userId: user, by: id('moderator'), at };
    return recordManualAction(
      stage.test.database,
      { ...manual, reason: null, until: null },
      stage.sandbox.clientId,
    );
  };
  return { user, byHand };
}

test.each([
  ["was given in an hour, as the file's clock is ahead", "issued_at = now() + interval '1 hour'"],
  [
    'was lifted in an hour, by the same clock',
    "issued_at = now() - interval '1 day', ended_at = now() + interval '1 hour', ended_by = issued_by",
  ],
])('a ban and its lifting by hand are on record of somebody whose imported ban %s', async (_what, told) => {
  verifies('bot.ban-events', 'imports.records-only');
  const banned = await importedBan(told);
  expect(await banned.byHand('bans.add', 2)).toBe('recorded');
  expect((await casesOf(banned.user)).map(({ import_id, active }) => [import_id, active])).toEqual([
    ['imp_1', false],
    [null, true],
  ]);
  expect(await banned.byHand('bans.lift', 1)).toBe('recorded');
  expect((await casesOf(banned.user)).map(({ active }) => active)).toEqual([false, false]);

  const lifted = await importedBan(told);
  expect(await lifted.byHand('bans.lift', 1)).toBe('recorded');
  expect((await casesOf(lifted.user)).filter(({ active }) => active)).toEqual([]);
  // The log's entries may come late.
  expect(await lifted.byHand('bans.add', 2)).toBe('unchanged');
});

test('what another server has done about somebody since keeps nothing that was done by hand from the record', async () => {
  verifies('bot.ban-events');
  const user = newMember('Everywhere');
  const { pool } = stage.test.database;
  const elsewhere = '299999999999999999';
  await pool.query(
    "INSERT INTO guilds (id, name, owner_id, tier, left_at) VALUES ($1, 'Elsewhere', $2, 'pro', now())",
    [elsewhere, id('owner')],
  );
  await pool.query("SELECT open_case($1, 'ban', 'ban', $2, 'Spam', $3, NULL, NULL)", [
    elsewhere,
    user,
    id('owner'),
  ]);
  const record = (operation: 'bans.add' | 'bans.lift', minutesAgo: number) =>
    recordManualAction(
      stage.test.database,
      {
        ...{
          guildId: stage.guildId,
          operation,
          userId: user,
          by: id('moderator'),
          reason: null,
          until: null,
        },
        entryId: `${user.slice(0, -1)}${minutesAgo}`,
        at: new Date(Date.now() - minutesAgo * 60_000),
      },
      stage.sandbox.clientId,
    );
  expect(await record('bans.add', 2)).toBe('recorded');
  expect(await record('bans.lift', 1)).toBe('recorded');
  const { rows } = await pool.query('SELECT ended_by FROM cases WHERE user_id = $1 ORDER BY guild_id = $2', [
    user,
    stage.guildId,
  ]);
  expect(rows).toEqual([{ ended_by: null }, { ended_by: id('moderator') }]);
});

test('a ban by hand of before Bailiff lifted an imported one bans nobody on record who is free', async () => {
  verifies('bot.ban-events', 'imports.records-only');
  const { user, byHand } = await importedBan(
    "issued_at = now() - interval '1 day', ended_at = now(), ended_by = issued_by, end_action_id = new_id('act')",
  );
  // The log's entries may come late.
  expect(await byHand('bans.add', 2)).toBe('unchanged');
  expect((await casesOf(user)).filter(({ active }) => active)).toEqual([]);
});

test('a hand that comes while Bailiff gives a mute another end waits for how that ends', async () => {
  const user = newMember('Changed');
  const { pool } = stage.test.database;
  const { rows } = await pool.query<{ id: string }>(
    `INSERT INTO actions (guild_id, operation, input, digest, state, actor_source, actor_user_id, request_id, claim_by,
       target_type, target_id, lease_expires_at)
     VALUES ($1, 'mutes.change', '{}', '', 'running', 'chat', $2, 'req_change', now(), 'user', $3, now() + interval '1 hour')
     RETURNING id`,
    [stage.guildId, id('owner'), user],
  );
  const lifting: ManualAction = {
    guildId: stage.guildId,
    entryId: '1400000000000000021',
    operation: 'mutes.lift',
    userId: user,
    by: id('moderator'),
    reason: null,
    at: new Date(),
    until: new Date(Date.now() + 60_000),
  };
  const record = () => recordManualAction(stage.test.database, lifting, stage.sandbox.clientId);
  expect(await record()).toBe('contested');
  await pool.query("UPDATE actions SET state = 'failed', lease_expires_at = NULL WHERE id = $1", [
    rows[0]?.id,
  ]);
  expect(await record()).toBe('recorded');
});

test('a guild that has removed the bot is not asked for its audit log any more', async () => {
  const { control, guildId, otherGuildId } = stage.sandbox;
  const asked = (guild: string) =>
    stage.sandbox.requests.filter(({ path }) => path === `/guilds/${guild}/audit-logs`).length;
  await whileAway(() => {
    control.addFault({ route: '/guilds/*/audit-logs', method: 'GET', status: 500, times: null });
  });
  control.guilds({ action: 'remove_bot', guild_id: otherGuildId });
  await stage.row('SELECT FROM guilds WHERE id = $1 AND left_at IS NOT NULL', [otherGuildId]);
  const [before, ofOther] = [asked(guildId), asked(otherGuildId)];
  // Meanwhile another guild is asked again.
  await stage.sandbox.until(() => asked(guildId) >= before + 2);
  expect(ofOther).toBeGreaterThan(0);
  expect(asked(otherGuildId)).toBe(ofOther);
  control.clearFaults();
});
