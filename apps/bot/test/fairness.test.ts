import { createServer, type Server, type Socket } from 'node:net';
import { type BotOperation, callOf, type InputOf } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { newRequestId } from '@bailiff/engine/calls/request-id';
import { performForPerson, performWrite } from '@bailiff/engine/calls/write-call';
import { putServer } from '@bailiff/engine/servers/servers';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Bot } from '#src/bot.ts';
import { bot, keepDeadlines, newMember, personOf, refusalOf, type Stage, setStage } from './harness.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await setStage();
  // Who waits for longer than the product lets them was kept waiting.
  keepDeadlines('storeMs', 'claimMs', 'performMs', 'answerMs');
  // So many people at once would have Discord quarantine the bot.
  await stage.test.database.pool.query('UPDATE guilds SET notifies_targets = false');
});
afterEach(() => stage.sandbox.control.clearFaults());
afterAll(() => stage.close());

/** More than there are slots for all guilds. */
const MANY = 14;

/** Does something in the other guild, as its owner in the dashboard. */
function actInOther(operation: BotOperation, input: object) {
  return performForPerson(stage.engine, {
    ...callOf(operation, input as InputOf<BotOperation>),
    guildId: stage.sandbox.otherGuildId,
    actor: { source: 'dashboard', userId: personOf(stage.sandbox, 'other_owner') },
    requestId: newRequestId(),
    address: '203.0.113.1',
  });
}

function joinOther(): string {
  const joined = stage.sandbox.control.members({
    action: 'join',
    name: 'somebody',
    guild_id: stage.sandbox.otherGuildId,
  });
  return (joined as { member: { user: { id: string } } }).member.user.id;
}

async function banInOther(): Promise<number> {
  const userId = joinOther();
  return (await actInOther('bans.add', { user_id: userId, reason: 'Spam' })).status;
}

function channelsOf(guildId: string) {
  return stage.sandbox.getState(200).guilds.find(({ id }) => id === guildId)?.channels ?? [];
}

/** How many actions of the sample guild are running. */
async function running(): Promise<number> {
  const { rows } = await stage.test.database.pool.query<{ count: number }>(
    "SELECT count(*)::int AS count FROM actions WHERE guild_id = $1 AND state = 'running'",
    [stage.guildId],
  );
  return rows[0]?.count ?? 0;
}

const SOME_RUNNING = `SELECT FROM actions WHERE guild_id = $1 AND state = 'running' HAVING count(*) >= 2`;

test("one guild's dead game servers keep nobody's ban waiting", async () => {
  verifies('bot.fairness');
  const sockets = new Set<Socket>();
  let isOver = false;
  const dead: Server = createServer((socket) => {
    socket.on('error', () => {});
    if (isOver) socket.destroy();
    else sockets.add(socket);
  });
  await new Promise<void>((resolve) => dead.listen(0, '127.0.0.1', resolve));
  const at = dead.address();
  const port = typeof at === 'object' && at !== null ? at.port : 0;
  const policy = { allow: [], deny: [] };
  const servers = await Promise.all(
    Array.from({ length: MANY }, (_, n) =>
      putServer(stage.test.database, stage.guildId, {
        name: `Dead ${n}`,
        host: '127.0.0.1',
        port,
        password: 'right',
        policy,
      }),
    ),
  );
  // Each is tested when it is entered, and a command would wait for that.
  await stage.row('SELECT FROM game_servers WHERE checked_at IS NOT NULL HAVING count(*) = $1', [MANY]);
  const commands = servers.map((server) =>
    stage.act('servers.rcon', 'owner', { serverId: server?.id, command: 'list' }).catch(() => {}),
  );
  await stage.row(SOME_RUNNING, [stage.guildId]);
  for (let ban = 0; ban < 5; ban += 1) expect(await banInOther()).toBe(201);
  expect(await running()).toBeLessThanOrEqual(2);
  isOver = true;
  for (const socket of sockets) socket.destroy();
  await Promise.all(commands);
  await new Promise<void>((resolve) => dead.close(() => resolve()));
});

test("one guild's slow bans keep nobody else's waiting", async () => {
  verifies('bot.fairness');
  const route = `/guilds/${stage.guildId}/bans/*`;
  stage.sandbox.control.addFault({ route, method: 'PUT', delay_ms: 4_000, times: null });
  const bans = Array.from({ length: MANY }, () =>
    stage.act('bans.add', 'owner', { user_id: newMember(stage.sandbox), reason: 'Spam' }).catch(() => {}),
  );
  await stage.row(SOME_RUNNING, [stage.guildId]);
  for (let ban = 0; ban < 5; ban += 1) expect(await banInOther()).toBe(201);
  expect(await running()).toBeLessThanOrEqual(2);
  stage.sandbox.control.clearFaults();
  await Promise.all(bans);
});

const forAWhile = (user_id: string) => ({ user_id, reason: 'Raid', duration_minutes: 60 });

/** Lets the bans of people run out, and their jobs run now. */
async function runOut(users: string[]): Promise<void> {
  await stage.test.database.pool.query(
    `WITH over AS (UPDATE cases SET expires_at = now() - interval '1 second' WHERE user_id = ANY ($1) RETURNING id)
     UPDATE graphile_worker._private_jobs SET run_at = now() WHERE key IN (SELECT 'end_ban:' || id FROM over)`,
    [users],
  );
}

function isBanned(user: string): boolean {
  return stage.sandbox.getState().guilds.some(({ bans }) => bans.some(({ user_id }) => user_id === user));
}

test("the ends of one guild's bans, which Discord does not take, keep no other guild's ban in force", async () => {
  verifies('bot.fairness');
  const many = Array.from({ length: MANY }, () => newMember(stage.sandbox));
  for (const user of many) await stage.act('bans.add', 'owner', forAWhile(user));
  const one = joinOther();
  await actInOther('bans.add', forAWhile(one));
  const route = `/guilds/${stage.guildId}/bans/*`;
  stage.sandbox.control.addFault({ route, method: 'DELETE', held: true, times: null });
  await runOut(many);
  await stage.row(SOME_RUNNING, [stage.guildId]);
  await runOut([one]);
  await stage.sandbox.until(() => !isBanned(one), 180_000, 'the end of the other guild’s ban');
  const { rows: tried } = await stage.test.database.pool.query(
    "SELECT DISTINCT target_id FROM actions WHERE guild_id = $1 AND operation = 'bans.lift'",
    [stage.guildId],
  );
  expect(tried.length).toBeLessThan(MANY);
  stage.sandbox.control.clearFaults();
  await stage.sandbox.until(() => !many.some(isBanned), 180_000, 'the ends of all bans');
});

test("a guild's bans that Discord does not take do not keep the end of another of its bans waiting", async () => {
  verifies('bot.fairness');
  const user = newMember(stage.sandbox);
  await stage.act('bans.add', 'owner', forAWhile(user));
  const route = `/guilds/${stage.guildId}/bans/*`;
  stage.sandbox.control.addFault({ route, method: 'PUT', held: true, times: null });
  const bans = Array.from({ length: MANY }, () =>
    stage.act('bans.add', 'owner', { user_id: newMember(stage.sandbox), reason: 'Spam' }).catch(() => {}),
  );
  await stage.row(SOME_RUNNING, [stage.guildId]);
  await runOut([user]);
  await stage.row('SELECT FROM cases WHERE user_id = $1 AND ended_at IS NOT NULL', [user]);
  const { rows: lifts } = await stage.test.database.pool.query(
    "SELECT state FROM actions WHERE target_id = $1 AND operation = 'bans.lift'",
    [user],
  );
  // None was cancelled because its turn did not come.
  expect(lifts).toEqual([{ state: 'done' }]);
  stage.sandbox.control.clearFaults();
  await Promise.all(bans);
});

test("a temporary ban's end never lifts the ban that is being put in its place", async () => {
  verifies('bot.serial-per-target');
  const { pool } = stage.test.database;
  const userId = newMember(stage.sandbox);
  await stage.act('bans.add', 'owner', { user_id: userId, reason: 'Spam', duration_minutes: 60 });
  await pool.query(
    "UPDATE cases SET expires_at = now() - interval '1 second' WHERE user_id = $1 AND kind = 'ban'",
    [userId],
  );
  const route = `/guilds/*/bans/${userId}`;
  stage.sandbox.control.addFault({ route, method: 'PUT', when: 'before', held: true });
  const lasting = stage.act('bans.add', 'owner', { user_id: userId, reason: 'Again' });
  await stage.row("SELECT FROM actions WHERE target_id = $1 AND state = 'running'", [userId]);
  // As the job that ends the temporary ban submits it, after it saw that the time is over.
  const end = refusalOf(
    performWrite(stage.engine, {
      ...callOf('bans.lift', { userId, reason: 'The ban has expired' }),
      guildId: stage.guildId,
      actor: { source: 'system', userId: 'bot' },
      requestId: newRequestId(),
      address: null,
    }),
  );
  await stage.row("SELECT FROM actions WHERE target_id = $1 AND operation = 'bans.lift'", [userId]);
  stage.sandbox.control.clearFaults();
  expect((await end).status).toBeGreaterThanOrEqual(400);
  expect((await lasting).status).toBe(201);
  const { guilds } = stage.sandbox.getState();
  expect(guilds.flatMap(({ bans }) => bans).map(({ user_id }) => user_id)).toContain(userId);
});

test('what is done to one person is done one after the other, whichever bot does it', async () => {
  verifies('bot.serial-per-target');
  const second: Bot = await bot(stage.config);
  try {
    await second.ready;
    const userId = newMember(stage.sandbox);
    const route = `/guilds/*/bans/${userId}`;
    stage.sandbox.control.addFault({ route, method: 'PUT', when: 'after', delay_ms: 150, times: null });
    const input = { user_id: userId, reason: 'Spam' };
    await Promise.all(Array.from({ length: 8 }, () => stage.act('bans.add', 'owner', input).catch(() => {})));
    // Each looks for the member and then bans them. The sandbox's clock is never set; the database's may be.
    const requests = stage.sandbox.requests.filter(
      ({ path }) => path.startsWith(`/guilds/${stage.guildId}/`) && path.endsWith(`/${userId}`),
    );
    expect(requests.filter(({ method }) => method === 'PUT').length).toBeGreaterThan(1);
    for (const [index, { startedAtMs }] of requests.slice(1).entries()) {
      const before = requests[index];
      // How long one took is rounded to a tenth of a millisecond.
      const endedAtMs = (before?.startedAtMs ?? 0) + (before?.durationMs ?? Number.NaN) - 0.1;
      expect(startedAtMs).toBeGreaterThanOrEqual(endedAtMs);
    }
  } finally {
    await second.stop();
  }
});

test("one guild's log channel, in which Discord takes nothing for seconds, keeps no message to a member waiting", async () => {
  verifies('bot.fairness');
  const channel = stage.sandbox.channels.mod_log ?? '';
  const { pool } = stage.test.database;
  const choose = (id: string | null) =>
    pool.query('UPDATE guilds SET log_channel_id = $2 WHERE id = $1', [stage.guildId, id]);
  await choose(channel);
  await pool.query('UPDATE guilds SET notifies_targets = true WHERE id = $1', [stage.sandbox.otherGuildId]);
  const posts = () =>
    stage.sandbox.requests.filter(
      ({ method, path }) => method === 'POST' && path === `/channels/${channel}/messages`,
    );
  // The first says that cases are posted here.
  await stage.sandbox.until(() => posts().some(({ durationMs }) => durationMs !== null));
  const [opening] = posts();
  const held = () => posts().filter(({ id }) => id !== opening?.id);
  stage.sandbox.control.addFault({
    ...{ method: 'POST', route: `/channels/${channel}/messages`, held: true, times: null },
  });
  for (let n = 0; n < MANY; n += 1) {
    const input = { user_id: newMember(stage.sandbox), reason: 'Spam', severity: 'minor' };
    await stage.act('strikes.add', 'owner', input);
  }
  await stage.sandbox.until(() => held().length >= 3);
  const userId = joinOther();
  await actInOther('mutes.add', { user_id: userId, reason: 'Noise', duration_minutes: 5 });
  await stage.sandbox.until(({ dms }) =>
    dms.some(({ user_id, messages }) => user_id === userId && messages.length > 0),
  );
  // None of the posts has ended, as one does that is given up.
  expect(held().filter(({ durationMs }) => durationMs !== null)).toEqual([]);
  await choose(null);
});

test('posts of a limited log channel keep their order, and no other guild’s post waits behind them', async () => {
  verifies('bot.fairness');
  const { otherGuildId } = stage.sandbox;
  const here = stage.sandbox.channels.mod_log ?? '';
  const there = channelsOf(otherGuildId)[0]?.id ?? '';
  const choose = (guildId: string, id: string | null) =>
    stage.test.database.pool.query('UPDATE guilds SET log_channel_id = $2 WHERE id = $1', [guildId, id]);
  const strike = async (guildId: string) => {
    const { rows } = await stage.test.database.pool.query<{ id: string }>(
      "SELECT id FROM open_case($1, 'strike', 'str', $2, 'Spam', $3, NULL, NULL, 'minor')",
      [guildId, personOf(stage.sandbox, 'troll'), personOf(stage.sandbox, 'owner')],
    );
    return rows[0]?.id ?? '';
  };
  const posted = (guildId: string, channelId: string) =>
    (channelsOf(guildId).find(({ id }) => id === channelId)?.messages ?? []).flatMap(
      ({ embeds }) => embeds[0]?.footer?.text ?? [],
    );
  /** Jobs of posts that `fit`. */
  const jobs = (fit: string) =>
    `SELECT FROM graphile_worker.jobs WHERE task_identifier = 'post_case' AND ${fit}`;
  await choose(stage.guildId, here);
  await choose(otherGuildId, there);
  await stage.row(`SELECT FROM guilds WHERE log_channel_posted_at IS NOT NULL HAVING count(*) = 2`);

  const route = `/channels/${here}/messages`;
  stage.sandbox.control.addFault({ route, method: 'POST', rate_limit: { retry_after: 7 }, times: null });
  // More than posts have places.
  const ids: string[] = [];
  for (let n = 0; n < 7; n += 1) ids.push(await strike(stage.guildId));
  const other = await strike(otherGuildId);
  await stage.sandbox.until(() => posted(otherGuildId, there).includes(other));
  // Those of the limited channel were put off. None was given up after it had held its place for long.
  const gaveUp = await stage.test.database.pool.query(jobs("last_error LIKE '%Discord limits%'"));
  expect(gaveUp.rows).toEqual([]);
  expect(posted(stage.guildId, here).filter((id) => ids.includes(id))).toEqual([]);

  // The first is taken by another process, which leaves nothing of it here but its place in the line.
  const [first] = ids.splice(0, 1);
  await stage.row(
    'DELETE FROM graphile_worker._private_jobs WHERE key = $1 AND locked_at IS NULL RETURNING id',
    [`post_case:${first}`],
  );
  stage.sandbox.control.clearFaults();
  await stage.row(`SELECT FROM (${jobs('true')}) AS job HAVING count(*) = 0`);
  expect(posted(stage.guildId, here).filter((id) => ids.includes(id))).toEqual(ids);
  await choose(stage.guildId, null);
  await choose(otherGuildId, null);
});
