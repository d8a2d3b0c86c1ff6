import type { ChildProcess } from 'node:child_process';
import { callOf, type EscalationInput, type InputOf, EscalationInput as Policy } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { performForPerson, performWrite } from '@bailiff/engine/calls/write-call';
import { standingOf, updateEscalation } from '@bailiff/engine/cases/escalation';
import { updateGuildSettings } from '@bailiff/engine/guilds/guild-settings';
import { seedGuild } from '@bailiff/engine/testing';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { z } from 'zod';
import { killBot, startBotProcess } from './bot-process.ts';
import { type ChatStage, endChatStage, setChatStage } from './chat-harness.ts';
import { refusalOf } from './harness.ts';
import { runJob } from './upkeep-support.ts';

let stage: ChatStage;

const owner = () => ({
  userId: stage.people.owner ?? '',
  requestId: 'req_owner',
  address: '203.0.113.1',
});
type Steps = z.input<typeof EscalationInput>['steps'];
const STEPS: Steps = [
  { points: 3, sanction: 'mute', duration_minutes: 60 },
  { points: 6, sanction: 'ban' },
];
const setPolicy = (steps: Steps) =>
  updateEscalation(
    stage.engine.db,
    owner(),
    stage.guildId,
    Policy.parse({ minor_points: 1, major_points: 3, decay_days: 30, steps }),
  );

beforeAll(async () => {
  stage = await setChatStage({
    Moderator: ['strikes.read', 'strikes.write', 'members.read'],
    Admin: ['audit.read'],
  });
  const logChannelId = stage.sandbox.channels.mod_log ?? '';
  await updateGuildSettings(stage.engine.db, owner(), stage.guildId, {
    notifiesTargets: false,
    logChannelId,
  });
  await setPolicy(STEPS);
});
afterAll(() => endChatStage(stage));

let people = 0;
/** A person who has just joined. @returns their id */
function newcomer(): string {
  people += 1;
  const joined = stage.sandbox.control.members({ action: 'join', name: `newcomer ${people}` });
  return (joined as { member: { user: { id: string } } }).member.user.id;
}

const query = async (sql: string, values: unknown[] = []) =>
  (await stage.test.database.pool.query(sql, values)).rows;
const casesOf = (user: string) =>
  query(
    'SELECT kind, reason, issued_by, duration_minutes, case_number FROM cases WHERE user_id = $1 ORDER BY case_number',
    [user],
  );
const kindsOf = async (user: string) => (await casesOf(user)).map(({ kind }) => kind);
const timeoutOf = (user: string) =>
  stage.sandbox.getState().guilds[0]?.members.find(({ user_id }) => user_id === user)
    ?.communication_disabled_until ?? null;
const isBanned = (user: string) =>
  stage.sandbox.getState().guilds[0]?.bans.some(({ user_id }) => user_id === user) ?? false;
const changesOf = (user: string) =>
  stage.sandbox.requests.filter(({ method, path }) => method !== 'GET' && path.endsWith(`/${user}`)).length;

type Answered = Awaited<ReturnType<ChatStage['does']>>;

function shownButtonOf({ message }: Answered): { custom_id?: string; label?: string } {
  const [row] = (message?.components ?? []) as { components?: { custom_id?: string; label?: string }[] }[];
  return row?.components?.[0] ?? {};
}

const strike = (user: string, severity: 'minor' | 'major' = 'minor', by = 'moderator') =>
  stage.does({
    type: 'command',
    user: by,
    command: 'strike add',
    channel: 'general',
    options: { user, reason: 'Spam', severity },
  });
const press = (asked: Answered, user = 'moderator') =>
  stage.does({
    type: 'button',
    user,
    message_id: asked.message?.id ?? '',
    custom_id: shownButtonOf(asked).custom_id ?? '',
  });

/** The final text of a question or an answer, with its addition. */
async function endsWith(answered: Answered, words: RegExp): Promise<string> {
  const message = () =>
    stage.sandbox.getState().interactions.find(({ id }) => id === answered.id)?.message?.content ?? '';
  await stage.sandbox.until(() => words.test(message()), 60_000, String(words));
  return message();
}

test('a strike that leads to nothing is given at once', async () => {
  const user = newcomer();
  const { message } = await strike(user);
  expect(message?.content).toMatch(/^Done\. Add a minor strike/);
  expect(await kindsOf(user)).toEqual(['strike']);
});

test('one that leads to a mute tells so first; its button gives it, and the system mutes, once', async () => {
  const user = newcomer();
  const asked = await strike(user, 'major');
  expect(asked.message?.content).toMatch(
    new RegExp(
      `^<@${user}> has 0 points; with this strike 3 points\\. This leads to a mute for 1 hour, .*2 minutes`,
    ),
  );
  expect(shownButtonOf(asked).label).toBe('Strike, and mute');
  expect(await casesOf(user)).toEqual([]);
  expect(timeoutOf(user)).toBeNull();

  const pressed = await press(asked);
  expect(pressed.message?.content).toMatch(/^Done\. Add a major strike/);
  const told = await endsWith(pressed, /3 points: muted for 1 hour \(case #\d+\)\./);
  const [given, mute] = await casesOf(user);
  expect(told).toContain(`(case #${mute.case_number}).`);
  expect(mute).toMatchObject({
    kind: 'mute',
    duration_minutes: 60,
    issued_by: stage.sandbox.clientId,
    reason: `3 points: strike #${given.case_number}`,
  });
  expect(timeoutOf(user)).not.toBeNull();
  // A member's page shows the step that comes next, not the one that was reached.
  expect(await standingOf(stage.engine.db, stage.guildId, user)).toMatchObject({
    points: 3,
    next: { points: 6, sanction: 'ban' },
  });
  expect(changesOf(user)).toBe(1);
  const rows = await query(
    `SELECT operation, actor_source, outcome, request_id FROM audit WHERE target_id = $1 ORDER BY id`,
    [user],
  );
  expect(rows.map(({ operation, actor_source, outcome }) => [operation, actor_source, outcome])).toEqual([
    ['strikes.add', 'chat', 'requested'],
    ['strikes.add', 'chat', 'performed'],
    ['mutes.add', 'system', 'requested'],
    ['mutes.add', 'system', 'performed'],
  ]);
  expect(new Set(rows.map(({ request_id }) => request_id)).size).toBe(1);
});

test('who is muted in another guild is muted all the same', async () => {
  const user = newcomer();
  const { id, ownerId } = await seedGuild(stage.test.database);
  await query("SELECT open_case($1, 'mute', 'mut', $2, 'Spam', $3, 10000, NULL)", [id, user, ownerId]);
  const asked = await strike(user, 'major');
  expect(asked.message?.content).toContain('This leads to a mute for 1 hour');
  await endsWith(await press(asked), /3 points: muted for 1 hour/);
  expect(timeoutOf(user)).not.toBeNull();
});

test('the form of a menu asks as well, and a step further bans permanently', async () => {
  const user = newcomer();
  await press(await strike(user, 'major'));
  await stage.row(
    'SELECT FROM escalations e JOIN cases c ON c.id = e.strike_id WHERE c.user_id = $1 AND settled_at IS NOT NULL',
    [user],
  );
  const opened = await stage.picks('moderator', 'Strike', user);
  const form = { type: 'modal', user: 'moderator', interaction_id: opened.id } as const;
  const asked = await stage.does({ ...form, fields: { severity: ['major'], reason: 'Raid' } });
  expect(asked.message?.content).toMatch(
    /has 3 points; with this strike 6 points\. This leads to a permanent ban\./,
  );
  expect(shownButtonOf(asked).label).toBe('Strike, and ban');
  await endsWith(await press(asked), /6 points: banned permanently \(case #\d+\)\./);
  expect(await kindsOf(user)).toEqual(['strike', 'mute', 'strike', 'ban']);
  expect(isBanned(user)).toBe(true);
});

test('the button is for who asked, and for one press', async () => {
  const user = newcomer();
  const asked = await strike(user, 'major');
  await expect(press(asked, 'owner')).rejects.toThrow('does not see message');
  expect(await casesOf(user)).toEqual([]);
  await Promise.all([press(asked), press(asked)]);
  await stage.row("SELECT FROM cases WHERE user_id = $1 AND kind = 'mute'", [user]);
  expect(await kindsOf(user)).toEqual(['strike', 'mute']);
});

test('where something else would follow by the time of the press, it is asked again', async () => {
  const user = newcomer();
  const asked = await strike(user, 'major');
  const input = { user_id: user, severity: 'major', reason: 'Raid' } as const;
  const call = {
    operation: 'strikes.add',
    guildId: stage.guildId,
    input,
    requestId: 'req_meanwhile',
  } as const;
  await performForPerson(stage.engine, {
    ...call,
    actor: { source: 'chat', userId: stage.people.moderator ?? '' },
    address: null,
  });
  const again = await press(asked);
  expect(again.message?.content).toMatch(
    /^Meanwhile something changed.*has 3 points.*leads to a permanent ban/,
  );
  expect(isBanned(user)).toBe(false);
  expect((await kindsOf(user)).filter((kind) => kind === 'strike')).toEqual(['strike']);
});

test('where nothing follows any more by the time of the press, the strike is given', async () => {
  const user = newcomer();
  const asked = await strike(user, 'major');
  onTestFinished(async () => void (await setPolicy(STEPS)));
  await setPolicy([]);
  expect((await press(asked)).message?.content).toMatch(/^Done\. Add a major strike/);
  expect(await kindsOf(user)).toEqual(['strike']);
});

test('without the capability nobody is told where somebody stands, nor may anybody strike those above', async () => {
  const user = newcomer();
  expect((await strike(user, 'major', 'admin')).message?.content).toMatch(/^Not done\..*strikes\.write/);
  const refused = await strike('admin', 'major');
  expect(refused.message?.content).toMatch(/^Not done\. The target's highest role is not below/);
  expect(await kindsOf(stage.people.admin ?? '')).toEqual([]);
});

test('strikes that have decayed count no more', async () => {
  const user = newcomer();
  await strike(user);
  await strike(user);
  await query("UPDATE cases SET issued_at = issued_at - interval '31 days' WHERE user_id = $1", [user]);
  expect((await strike(user)).message?.content).toMatch(/^Done\./);
});

test('each is told in their language: the moderator in theirs, the guild in its own', async () => {
  const user = newcomer();
  await updateGuildSettings(stage.engine.db, owner(), stage.guildId, { language: 'fr' });
  onTestFinished(
    async () => void (await updateGuildSettings(stage.engine.db, owner(), stage.guildId, { language: 'en' })),
  );
  const options = { user, reason: 'Spam', severity: 'major' };
  const command = { type: 'command', command: 'strike add', channel: 'general', options } as const;
  const asked = await stage.does({ ...command, user: 'moderator', locale: 'de' });
  expect(asked.message?.content).toMatch(
    /mit dieser Verwarnung 3 Punkte\. Das führt zu einer Stummschaltung für 1 Stunde/,
  );
  await press(asked);
  const mute = await stage.row<{ reason: string }>(
    "SELECT reason FROM cases WHERE user_id = $1 AND kind = 'mute'",
    [user],
  );
  expect(mute.reason).toMatch(/^3 points\u00a0: avertissement n° \d+$/);
});

/** What the log channel says of a mute that did not happen. */
const notDoneOf = (user: string) =>
  stage.sandbox
    .getState()
    .guilds[0]?.channels.find(({ id }) => id === stage.sandbox.channels.mod_log)
    ?.messages.filter(({ content }) =>
      content.includes(`of <@${user}> leads to a mute, which did not happen`),
    ) ?? [];

test('where the mute cannot be given, the moderator and the log channel are told, and the strike stands', async () => {
  const user = newcomer();
  stage.sandbox.control.members({ action: 'leave', user });
  await endsWith(await press(await strike(user, 'major')), /The mute that follows did not happen\./);
  expect(await kindsOf(user)).toEqual(['strike']);
  expect(
    await query(
      "SELECT outcome, code FROM audit WHERE target_id = $1 AND operation = 'mutes.add' ORDER BY id",
      [user],
    ),
  ).toEqual([
    { outcome: 'requested', code: null },
    { outcome: 'failed', code: 'NOT_FOUND' },
  ]);
  await stage.sandbox.until(() => notDoneOf(user).length === 1, 60_000, 'the word in the log channel');
});

test('while Discord takes no messages, the word in the log channel waits, and comes once', async () => {
  const user = newcomer();
  stage.sandbox.control.members({ action: 'leave', user });
  const messages = `/channels/${stage.sandbox.channels.mod_log}/messages`;
  stage.sandbox.control.addFault({ route: messages, method: 'POST', times: null, status: 503 });
  onTestFinished(() => void stage.sandbox.control.clearFaults());
  await press(await strike(user, 'major'));
  const refused =
    "SELECT FROM graphile_worker.jobs WHERE task_identifier = 'tell_guild' AND last_error IS NOT NULL";
  await stage.row(refused);
  expect(notDoneOf(user)).toEqual([]);
  stage.sandbox.control.clearFaults();
  await stage.row("SELECT FROM graphile_worker.jobs WHERE key LIKE 'tell_guild:%' AND locked_at IS NULL");
  await query("UPDATE graphile_worker._private_jobs SET run_at = now() WHERE key LIKE 'tell_guild:%'");
  await stage.sandbox.until(() => notDoneOf(user).length > 0, 60_000, 'the word in the log channel');
  await stage.row(
    "SELECT FROM graphile_worker.jobs WHERE task_identifier = 'tell_guild' HAVING count(*) = 0",
  );
  expect(notDoneOf(user)).toHaveLength(1);
});

const TIMEOUT_ROUTE = { method: 'PATCH', route: '/guilds/*/members/*' } as const;
/** The strike of a user, with what became of its escalation. */
const escalationOf = async (user: string) =>
  (
    await query(
      `SELECT e.strike_id, e.attempts, e.settled_at IS NOT NULL AS settled
       FROM escalations e JOIN cases c ON c.id = e.strike_id WHERE c.user_id = $1`,
      [user],
    )
  )[0];

test('a mute whose outcome is unknown is looked for, and never sent again', async () => {
  const user = newcomer();
  // A gateway gave up, but Discord may have done it anyway.
  stage.sandbox.control.addFault({ ...TIMEOUT_ROUTE, times: null, status: 502 });
  onTestFinished(() => void stage.sandbox.control.clearFaults());
  await press(await strike(user, 'major'));
  await stage.row("SELECT FROM actions WHERE target_id = $1 AND state = 'unknown'", [user]);
  const { strike_id } = await escalationOf(user);
  for (const _time of [1, 2]) expect(await runJob(stage, 'escalate', { strike_id })).toBeNull();
  expect(await escalationOf(user)).toMatchObject({ attempts: 1, settled: false });
  expect(changesOf(user)).toBe(1);
  // After a day it is not checked any more.
  await query("UPDATE escalations SET created_at = created_at - interval '25 hours' WHERE strike_id = $1", [
    strike_id,
  ]);
  expect(await runJob(stage, 'escalate', { strike_id })).toBeNull();
  expect(await escalationOf(user)).toMatchObject({ attempts: 1, settled: true });
  expect(changesOf(user)).toBe(1);
});

test('a mute that the edge of Discord refuses for a moment is given with the next try', async () => {
  const user = newcomer();
  stage.sandbox.control.addFault({ ...TIMEOUT_ROUTE, status: 403, body: '<html>Access denied</html>' });
  await press(await strike(user, 'major'));
  const { strike_id } = await escalationOf(user);
  for (const _time of [1, 2]) expect(await runJob(stage, 'escalate', { strike_id })).toBeNull();
  expect(await escalationOf(user)).toMatchObject({ attempts: 2, settled: true });
  expect(await kindsOf(user)).toEqual(['strike', 'mute']);
  expect(timeoutOf(user)).not.toBeNull();
});

test('a mute that certainly did not happen is tried five times, over an hour', async () => {
  const user = newcomer();
  stage.sandbox.control.addFault({ ...TIMEOUT_ROUTE, times: null, status: 500 });
  onTestFinished(() => void stage.sandbox.control.clearFaults());
  await press(await strike(user, 'major'));
  const { strike_id } = await escalationOf(user);
  const triedAfter = async (minutes: number): Promise<number> => {
    await query(
      'UPDATE escalations SET created_at = now() - make_interval(mins => $2) WHERE strike_id = $1',
      [strike_id, minutes],
    );
    for (const _time of [1, 2]) expect(await runJob(stage, 'escalate', { strike_id })).toBeNull();
    return (await escalationOf(user)).attempts;
  };
  const tried: [minutes: number, attempts: number][] = [];
  for (const minutes of [0, 1, 5, 10, 20, 50, 70, 200]) tried.push([minutes, await triedAfter(minutes)]);
  expect(tried).toEqual([
    [0, 2],
    [1, 2],
    [5, 3],
    [10, 3],
    [20, 4],
    [50, 4],
    [70, 5],
    [200, 5],
  ]);
  expect(await escalationOf(user)).toMatchObject({ attempts: 5, settled: true });
  expect(changesOf(user)).toBe(5);
});

test('a longer mute that is in force stays, and so does a ban', async () => {
  const user = newcomer();
  await stage.act('mutes.add', 'owner', { user_id: user, duration_minutes: 600, reason: 'Noise' });
  const until = timeoutOf(user);
  await endsWith(await press(await strike(user, 'major')), /A mute that ends later is in force already\./);
  expect(timeoutOf(user)).toBe(until);
  expect(await kindsOf(user)).toEqual(['mute', 'strike']);
  await stage.act('bans.add', 'owner', { user_id: user, reason: 'Noise' });
  await endsWith(await press(await strike(user, 'major')), /A ban that ends later is in force already\./);
  expect(await kindsOf(user)).toEqual(['mute', 'strike', 'ban', 'strike']);
});

test('an imported mute and an imported ban are records, and what a strike leads to is carried out', async () => {
  verifies('imports.records-only');
  const user = newcomer();
  const imported = (kind: string, number: number) =>
    query(
      `INSERT INTO cases (id, guild_id, case_number, kind, user_id, issued_by, expires_at, import_id)
       VALUES (new_id('imp'), $1, $2, $3::"CaseKind", $4, $5,
         CASE $3 WHEN 'mute' THEN now() + interval '10 days' END, 'imp_1')`,
      [stage.guildId, number, kind, user, stage.people.owner],
    );
  await imported('mute', 90_001);
  await press(await strike(user, 'major'));
  await stage.sandbox.until(() => timeoutOf(user) !== null);
  await imported('ban', 90_002);
  await press(await strike(user, 'major'));
  await stage.sandbox.until(() => isBanned(user));
});

test('what only claims to be the system’s own is not performed', async () => {
  const user = newcomer();
  const claim = <N extends 'bans.add' | 'mutes.add' | 'bans.lift'>(operation: N, input: InputOf<N>) =>
    performWrite(stage.engine, {
      ...callOf<'bans.add' | 'mutes.add' | 'bans.lift'>(operation, input),
      guildId: stage.guildId,
      actor: { source: 'system', userId: stage.sandbox.clientId },
      requestId: `req_forged_${operation}`,
      address: null,
    });
  const notDue = { code: 'FORBIDDEN', details: { reason: 'NOT_DUE' } };
  expect(await refusalOf(claim('bans.add', { user_id: user, reason: 'Forged' }))).toMatchObject(notDue);
  expect(
    await refusalOf(claim('mutes.add', { user_id: user, duration_minutes: 60, reason: 'Forged' })),
  ).toMatchObject(notDue);
  expect(await refusalOf(claim('bans.lift', { userId: user }))).toMatchObject({ code: 'NOT_FOUND' });
  // Not even an action that is linked to a strike, if the strikes do not add up to it.
  await strike(user);
  await query(
    `INSERT INTO escalations (strike_id, guild_id, points, sanction) SELECT id, guild_id, 6, 'ban' FROM cases WHERE user_id = $1`,
    [user],
  );
  await query(
    `SELECT graphile_worker.add_job('escalate', json_build_object('strike_id', id)) FROM cases WHERE user_id = $1`,
    [user],
  );
  await stage.row(
    'SELECT FROM escalations e JOIN cases c ON c.id = e.strike_id WHERE c.user_id = $1 AND e.settled_at IS NOT NULL',
    [user],
  );
  expect(await kindsOf(user)).toEqual(['strike']);
  expect(changesOf(user)).toBe(0);
  expect(isBanned(user)).toBe(false);
});

/** A strike that is on record at the moment at which its bot dies. */
const strikeUnasked = (user: string) =>
  performWrite(stage.engine, {
    operation: 'strikes.add',
    guildId: stage.guildId,
    input: { user_id: user, severity: 'major', reason: 'Raid' },
    actor: { source: 'dashboard', userId: stage.people.owner ?? '' },
    requestId: `req_page_${user}`,
    address: '203.0.113.1',
  });

async function startProcess(): Promise<ChildProcess> {
  const child = await startBotProcess(stage);
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

test('a bot that dies in between mutes once all the same, and not for a strike that was removed meanwhile', async () => {
  verifies('H28');
  const [early, late, pardoned] = [newcomer(), newcomer(), newcomer()];
  await stage.bot.stop();
  // Before its job was begun, which does not wait for the look of each minute.
  const given = (await strikeUnasked(early)).body as { strike_id: string };
  expect(
    await query('SELECT FROM graphile_worker.jobs WHERE key = $1', [`escalate:${given.strike_id}`]),
  ).toHaveLength(1);
  const { body } = await strikeUnasked(pardoned);
  await query('UPDATE cases SET ended_at = now(), ended_by = issued_by WHERE id = $1', [
    (body as { strike_id: string }).strike_id,
  ]);
  const first = await startProcess();
  await stage.row("SELECT FROM cases WHERE user_id = $1 AND kind = 'mute'", [early]);
  // Between its claim and Discord.
  const { control } = stage.sandbox;
  control.addFault({ route: '/guilds/*/members/*', method: 'GET', times: null, socket: 'hang' });
  await strikeUnasked(late);
  await stage.row("SELECT FROM actions WHERE target_id = $1 AND state = 'running'", [late]);
  await killBot(first);
  control.clearFaults();
  await query(
    `UPDATE actions SET lease_expires_at = now() - interval '1 second', created_at = created_at - interval '2 minutes'
     WHERE state = 'running'`,
  );
  await startProcess();
  await stage.row("SELECT FROM cases WHERE user_id = $1 AND kind = 'mute'", [late]);
  await stage.row(
    'SELECT count(*)::int AS open FROM escalations WHERE settled_at IS NULL',
    [],
    ({ open }: { open: number }) => open === 0,
  );
  expect(await Promise.all([early, late, pardoned].map(kindsOf))).toEqual([
    ['strike', 'mute'],
    ['strike', 'mute'],
    ['strike'],
  ]);
  expect([early, late, pardoned].map(changesOf)).toEqual([1, 1, 0]);
  const trail = await query(
    "SELECT outcome FROM audit WHERE target_id = $1 AND operation = 'mutes.add' ORDER BY id",
    [late],
  );
  expect(trail.map(({ outcome }) => outcome)).toEqual(['requested', 'failed', 'requested', 'performed']);
});
