import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { verifies } from '@bailiff/core/testing';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Bot } from '#src/bot.ts';
import { killBot, startBotProcess } from './bot-process.ts';
import { newMember, personOf, type Stage, setStage } from './harness.ts';

/** With two shards, the sample guild is on the second. */
const OF_SAMPLE = { BOT_SHARDS: '1/2' };
const OF_OTHER = { BOT_SHARDS: '0/2' };
const TAKEN_OVER_WITHIN_MS = 30_000;
/** A process that could not look for so long begins to watch anew. */
const LONGEST_GAP_MS = 5_000;
/** What the supervisor starts again. */
const EX_TEMPFAIL = 75;

let stage: Stage;
let survivor: Bot;
let lost: ChildProcess;

beforeEach(async () => {
  stage = await setStage({ gateway: { shards: 2, maxConcurrency: 2 }, firstAnswerMs: 9_000 }, OF_OTHER);
  survivor = stage.bot;
  lost = await startBotProcess(stage, OF_SAMPLE);
  // Where it starts slowly, the other one has followed its shard meanwhile and gives it back.
  await stage.row("SELECT FROM shard_holders WHERE shard_ids = '{1}'");
  await untilFollowed('1 minute');
});
afterEach(async () => {
  lost.kill('SIGKILL');
  const { violations } = stage.sandbox;
  await stage.close();
  expect(violations).toEqual([]);
});

const nameOf = (user: string) =>
  [
    'SELECT display_name FROM members WHERE guild_id = $1 AND user_id = $2',
    [stage.guildId, personOf(stage.sandbox, user)],
  ] as const;

/** Until some process follows the sample guild's events, has compared it after `since`, and beat this lately. */
function untilFollowed(age: string, since = '-infinity'): Promise<unknown> {
  return stage.row(
    `SELECT FROM live_guilds g JOIN gateway_shards s ON s.shard_id = g.shard_id
     WHERE g.id = $1 AND g.mirror_fresh AND g.mirrored_at > $3::timestamptz AND s.lost_at IS NULL
       AND s.heartbeat_at > now() - $2::interval`,
    [stage.guildId, age, since],
  );
}

const clock = async () => (await stage.row<{ now: string }>('SELECT clock_timestamp()::text AS now')).now;

/**
 * How long it took, since it could last watch without a gap, until another process had the shards. It follows the guild,
 * which was lost after `since`.
 */
async function untilTakenOver(since: string): Promise<number> {
  let begunAt = performance.now();
  let renewed = { renewals: '', atMs: begunAt };
  await stage.row<{ has_both: boolean; renewals: string }>(
    "SELECT shard_ids @> '{1}' AS has_both, renewals::text FROM shard_holders WHERE shard_ids @> '{0}'",
    [],
    ({ has_both, renewals }) => {
      const nowMs = performance.now();
      // The machine was too busy for it.
      if (nowMs - renewed.atMs > LONGEST_GAP_MS) begunAt = nowMs;
      if (renewals !== renewed.renewals) renewed = { renewals, atMs: nowMs };
      return has_both;
    },
  );
  const tookMs = performance.now() - begunAt;
  await untilFollowed('5 seconds', since);
  return tookMs;
}

async function command(command: string, options: Record<string, string> = {}): Promise<string> {
  return (await stage.sandbox.control.interact({ type: 'command', command, user: 'owner', options })).state;
}

const bansOf = (user: string) =>
  stage.sandbox.requests.filter(({ method, path }) => method === 'PUT' && path.endsWith(`/bans/${user}`))
    .length;

test('the shards of a process that is killed with its machine are followed by another one within 30 seconds', async () => {
  verifies('bot.shards.taken-over');
  const { identifies } = stage.sandbox.getState().gateway;
  const since = await clock();
  await killBot(lost);
  const byHand = newMember(stage.sandbox);
  stage.sandbox.control.bans({ user: byHand, by: 'owner' });
  expect(await untilTakenOver(since)).toBeLessThan(TAKEN_OVER_WITHIN_MS);

  expect(await command('whoami')).toBe('answered');
  const user = newMember(stage.sandbox);
  expect(await command('ban', { user, reason: 'After it' })).toBe('answered');
  expect(bansOf(user)).toBe(1);
  await stage.row('SELECT FROM cases WHERE guild_id = $1 AND user_id = $2', [stage.guildId, byHand]);
  expect(
    await stage.act('bans.add', 'owner', { user_id: newMember(stage.sandbox), reason: 'Spam' }),
  ).toMatchObject({
    status: 201,
  });
  expect(stage.sandbox.getState().gateway.identifies - identifies).toBe(1);

  // Its own shards noticed nothing, and both are left in order.
  await survivor.stop();
  const { rows } = await stage.test.database.pool.query('SELECT FROM shard_holders');
  expect(rows).toEqual([]);
});

test('a process that stood still while its shards were taken writes nothing of what it missed, and ends', async () => {
  verifies('bot.shards.taken-over');
  const { control } = stage.sandbox;
  control.members({ action: 'nick', user: 'owner', nick: 'Before' });
  const [sql, values] = nameOf('owner');
  const isCalled = (name: string) =>
    stage.row(sql, [...values], (row: { display_name: string }) => row.display_name === name);
  await isCalled('Before');
  const since = await clock();
  lost.kill('SIGSTOP');
  onTestFinished(() => void lost.kill('SIGCONT'));
  // These wait in its connection to Discord.
  control.members({ action: 'nick', user: 'owner', nick: 'Missed' });
  const asked = command('ban', { user: newMember(stage.sandbox), reason: 'Asked of one that stands still' });
  expect(await untilTakenOver(since)).toBeLessThan(TAKEN_OVER_WITHIN_MS);
  expect(await asked).toBe('expired');
  control.members({ action: 'nick', user: 'owner', nick: 'After' });
  await isCalled('After');
  const written = await countWritesOf(values[1][1] ?? '');

  const ended = once(lost, 'exit', { signal: AbortSignal.timeout(180_000) });
  // It hears of this too, beside the process that follows the guild now.
  const user = newMember(stage.sandbox);
  lost.kill('SIGCONT');
  const ban = command('ban', { user, reason: 'Once' });
  expect((await ended)[0]).toBe(EX_TEMPFAIL);
  expect(await ban).toBe('answered');
  expect(bansOf(user)).toBe(1);
  const { rows } = await stage.test.database.pool.query('SELECT FROM cases WHERE user_id = $1', [user]);
  expect(rows).toHaveLength(1);
  expect(await written()).toEqual([]);
  await isCalled('After');
  await untilFollowed('30 seconds');
});

/** The names that are written of a member from now on. */
async function countWritesOf(userId: string): Promise<() => Promise<string[]>> {
  const { pool } = stage.test.database;
  await pool.query(`CREATE TABLE written (name text);
    CREATE FUNCTION note_written() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
      'BEGIN INSERT INTO written VALUES (NEW.display_name); RETURN NULL; END';
    CREATE TRIGGER written AFTER INSERT OR UPDATE ON members FOR EACH ROW
      WHEN (NEW.user_id = '${userId}') EXECUTE FUNCTION note_written()`);
  return async () =>
    (await pool.query<{ name: string }>('SELECT name FROM written')).rows.map(({ name }) => name);
}
