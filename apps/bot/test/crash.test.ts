import type { ChildProcess } from 'node:child_process';
import { verifies } from '@bailiff/core/testing';
import type { Answer } from '@bailiff/engine/calls/write-call';
import { openWindow } from '@bailiff/engine/tokens/windows';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { killBot, startBotProcess } from './bot-process.ts';
import { mint, newMember, overToken, ownerOf, type Stage, setStage } from './harness.ts';

/** Bans that are running when the bot is killed. It performs that many of a guild at once. */
const UNDER_WAY = 2;
const WAIT_MS = 60_000;

let stage: Stage;
let bot: ChildProcess;
let secret: string;
let bans: Ban[];

beforeAll(async () => {
  stage = await setStage();
  await stage.bot.stop();
  bot = await startBotProcess(stage);
  await untilMirrored();
  const token = await mint(stage, 'night watch');
  secret = token.secret;
  await openWindow(stage.engine.db, ownerOf(stage.sandbox), token.id, 15);
});

afterAll(async () => {
  bot.kill('SIGKILL');
  const { violations } = stage.sandbox;
  await stage.close();
  expect(violations).toEqual([]);
});

beforeEach(() => {
  bans = Array.from({ length: UNDER_WAY }, newBan);
});

afterEach(() => stage.sandbox.control.clearFaults());

/** Kills the bot abruptly, lets its leases expire, and starts another. */
async function killAndStartAnother(): Promise<void> {
  await killBot(bot);
  await stage.test.database.pool.query(
    `UPDATE actions SET lease_expires_at = now() - interval '1 second', created_at = created_at - interval '2 minutes'
     WHERE state = 'running'`,
  );
  bot = await startBotProcess(stage);
  await untilMirrored();
}

/** Until the bot has compared the guild with Discord, nobody may do anything. */
function untilMirrored(): Promise<unknown> {
  return stage.row(
    `SELECT FROM guilds g JOIN gateway_shards s ON s.shard_id = g.shard_id
     WHERE g.id = $1 AND g.mirrored_at IS NOT NULL AND s.heartbeat_at > now() - interval '60 seconds'`,
    [stage.guildId],
  );
}

interface Ban {
  readonly userId: string;
  readonly key: string;
}

function newBan(): Ban {
  const userId = newMember(stage.sandbox);
  return { userId, key: `ban-${userId}` };
}

/** The caller's result: the answer, or the refusal. */
type Told = (Answer & { replayed: boolean }) | { code: string; status: number; details: unknown };

/** A ban as the public API makes it. */
function send({ userId, key }: Ban): Promise<Told> {
  const body = { user_id: userId, reason: 'Spam' };
  return overToken(stage, secret, { operation: 'bans.add', body, idempotencyKey: key })
    .then(({ status, body: answer, replayed }) => ({ status, body: answer, replayed }))
    .catch(({ code, status, details }) => ({ code, status, details }));
}

/** Sends all of them. The budget, which holds six, is refilled meanwhile. */
async function sendAll(): Promise<Promise<Told>[]> {
  const told: Promise<Told>[] = [];
  for (const ban of bans) {
    await stage.test.database.pool.query('DELETE FROM budgets');
    told.push(send(ban));
    await stage.row('SELECT FROM actions WHERE target_id = $1', [ban.userId]);
  }
  return told;
}

const users = () => bans.map(({ userId }) => userId);

function untilActions(condition: string): Promise<unknown> {
  return stage.row(
    `SELECT count(*)::int AS found FROM actions WHERE target_id = ANY ($1) AND ${condition}`,
    [users()],
    ({ found }: { found: number }) => found === UNDER_WAY,
  );
}

function requestsToBan(): number {
  return stage.sandbox.requests.filter(
    ({ method, path }) => method === 'PUT' && users().some((id) => path.endsWith(`/bans/${id}`)),
  ).length;
}

function banned(): string[] {
  const guild = stage.sandbox.getState().guilds.find(({ id }) => id === stage.guildId);
  return (guild?.bans ?? []).map(({ user_id }) => user_id).filter((id) => users().includes(id));
}

/** For each ban its audit rows in order, and how many cases there are of it. */
async function records(): Promise<{ trail: string; cases: number }[]> {
  const { rows } = await stage.test.database.pool.query<{ trail: string; cases: number }>(
    `SELECT string_agg(outcome::text, ', ' ORDER BY id) AS trail,
       (SELECT count(*)::int FROM cases c WHERE c.user_id = a.target_id) AS cases
     FROM audit a WHERE target_id = ANY ($1) GROUP BY target_id`,
    [users()],
  );
  return rows;
}

const each = <Thing>(thing: Thing): Thing[] => Array.from({ length: UNDER_WAY }, () => thing);

/** A session that holds a lock until it is told to let go, or the test ends. */
async function holdLock(sql: string): Promise<() => Promise<void>> {
  const session = await stage.test.database.pool.connect();
  await session.query('BEGIN');
  await session.query(sql);
  let released: Promise<unknown> | undefined;
  const release = async () => {
    released ??= session.query('COMMIT').finally(() => session.release());
    await released;
  };
  onTestFinished(release);
  return release;
}

/**
 * What the callers are told. On a busy machine another bot starts later than callers wait: who is told that nothing is
 * known yet asks again once it is.
 */
async function toldInTheEnd(calls: readonly Promise<Told>[]): Promise<Told[]> {
  const told = await Promise.all(calls);
  await untilActions("state IN ('done', 'failed')");
  return Promise.all(told.map((answer, n) => (isUnknown(answer) ? howItEnded(bans[n] as Ban) : answer)));
}

const isUnknown = (answer: Told) =>
  'details' in answer && (answer.details as { outcome?: string }).outcome === 'unknown';

async function howItEnded(ban: Ban): Promise<Told> {
  const { error } = await stage.row<{ error: { code: string; details: unknown } | null }>(
    'SELECT error FROM actions WHERE target_id = $1',
    [ban.userId],
  );
  return error === null ? send(ban) : { ...error, status: 502 };
}

/** Settles when all are banned at Discord. */
function untilBanned(): Promise<unknown> {
  return stage.sandbox.until(() => banned().length === UNDER_WAY, WAIT_MS, 'the bans');
}

/** Every retry gets the first call's answer, and nothing more is sent to Discord. */
async function expectRetriesAreTold(told: Told[]): Promise<void> {
  const before = requestsToBan();
  for (const [n, ban] of bans.entries()) {
    const again = await send(ban);
    expect(again).toEqual('replayed' in (told[n] as Told) ? { ...told[n], replayed: true } : told[n]);
  }
  expect(requestsToBan()).toBe(before);
}

test('a bot killed between claim and Discord has done nothing, and that is found out and told', async () => {
  verifies('G7', 'H28');
  stage.sandbox.control.addFault({
    route: '/guilds/*/members/*',
    method: 'GET',
    times: null,
    socket: 'hang',
  });
  const calls = await sendAll();
  await untilActions("state = 'running'");
  stage.sandbox.control.clearFaults();
  await killAndStartAnother();
  expect(await toldInTheEnd(calls)).toMatchObject(
    each({ code: 'UPSTREAM_UNAVAILABLE', status: 502, details: { outcome: 'not_performed' } }),
  );
  expect(requestsToBan()).toBe(0);
  expect(await records()).toEqual(each({ trail: 'requested, failed', cases: 0 }));
  // What certainly did not happen may be tried again with the same key.
  const { rows } = await stage.test.database.pool.query('SELECT FROM idempotency_keys');
  expect(rows).toEqual([]);
});

test('a bot killed between Discord and its record has banned once, which is found out and told', async () => {
  verifies('idempotency.replay', 'G7', 'H28');
  const release = await holdLock('LOCK TABLE cases IN ACCESS EXCLUSIVE MODE');
  const calls = await sendAll();
  await untilBanned();
  await killAndRelease(release);
  await expectBannedOnce(await toldInTheEnd(calls));
});

test('a bot killed while it writes its record has banned once, which is found out and told', async () => {
  verifies('G7', 'H28');
  const { pool } = stage.test.database;
  // After everything else that settling writes.
  await pool.query(`
    CREATE FUNCTION hold_row() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN NEW; END';
    CREATE TRIGGER hold_row BEFORE INSERT ON audit FOR EACH ROW WHEN (NEW.outcome = 'performed')
      EXECUTE FUNCTION hold_row()`);
  const release = await holdLock('SELECT pg_advisory_xact_lock(1)');
  const calls = await sendAll();
  await untilBanned();
  // One is at its last row; the others wait for it, as cases are numbered one after the other.
  await stage.row(
    "SELECT FROM pg_stat_activity WHERE wait_event = 'advisory' AND datname = current_database()",
  );
  await killAndRelease(release);
  await expectBannedOnce(await toldInTheEnd(calls));
  await pool.query('DROP TRIGGER hold_row ON audit');
});

/** What the killed bot had begun to write must be undone before the next one looks. */
async function killAndRelease(release: () => Promise<void>): Promise<void> {
  bot.kill('SIGKILL');
  await release();
  await killAndStartAnother();
}

async function expectBannedOnce(told: Told[]): Promise<void> {
  expect(told).toMatchObject(each({ status: 201 }));
  expect(banned()).toHaveLength(UNDER_WAY);
  expect(requestsToBan()).toBe(UNDER_WAY);
  expect(await records()).toEqual(each({ trail: 'requested, performed', cases: 1 }));
  await expectRetriesAreTold(told);
}
