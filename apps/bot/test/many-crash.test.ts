import type { ChildProcess } from 'node:child_process';
import type { OutputOf } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { killBot, startBotProcess } from './bot-process.ts';
import { type Stage, setStage } from './harness.ts';

const PEOPLE = 40;
const WAIT_MS = 90_000;

let stage: Stage;
let bot: ChildProcess;

beforeAll(async () => {
  stage = await setStage();
  await stage.bot.stop();
  bot = await startBotProcess(stage);
  await untilMirrored();
});

afterAll(async () => {
  await killBot(bot);
  const { violations } = stage.sandbox;
  await stage.close();
  expect(violations).toEqual([]);
});

const untilMirrored = () =>
  stage.row('SELECT FROM live_guilds WHERE id = $1 AND mirror_fresh', [stage.guildId]);

/** Kills the bot once the action has got so far, lets its leases expire, and starts another. */
async function killAfter(id: string, done: number): Promise<void> {
  await expect
    .poll(() => progressOf(id), { timeout: WAIT_MS, interval: 20 })
    .toSatisfy(
      (progress: Progress) => !['pending', 'running'].includes(progress.state) || progress.done >= done,
    );
  expect(await progressOf(id)).toMatchObject({ state: 'running' });
  await killBot(bot);
  // Nothing of a dead process arrives after a minute.
  await stage.test.database.pool.query(
    `UPDATE actions SET lease_expires_at = now() - interval '1 second', claim_by = now() - interval '1 minute',
      created_at = created_at - interval '61 seconds' WHERE state IN ('pending', 'running')`,
  );
  bot = await startBotProcess(stage);
  await untilMirrored();
}

interface Progress {
  readonly state: string;
  readonly done: number;
}

async function progressOf(id: string): Promise<Progress | undefined> {
  const { rows } = await stage.test.database.pool.query<Progress>(
    "SELECT state, coalesce((progress->>'done')::int, 0) AS done FROM actions WHERE id = $1",
    [id],
  );
  return rows[0];
}

type Operation = 'bans.preview' | 'bans.many' | 'bans.undo';

/** Begins a long action, and returns its id before it has ended. */
async function begin(operation: Operation, input: object): Promise<string> {
  const started = stage.act(operation, 'owner', input);
  started.catch(() => {});
  const { id } = await stage.row<{ id: string }>('SELECT id FROM actions WHERE operation = $1', [operation]);
  return id;
}

async function resultOf(id: string) {
  const { state, result } = await stage.row<{
    state: string;
    result: { many?: OutputOf<'bans.many'>['many'] };
  }>(
    'SELECT state, result FROM actions WHERE id = $1',
    [id],
    (row) => !['pending', 'running'].includes(row.state),
  );
  return { state, ...result };
}

const bans = () =>
  stage.sandbox
    .getState(200)
    .guilds.find(({ id }) => id === stage.guildId)
    ?.bans.map(({ user_id }) => user_id);
const effects = (method: string) =>
  stage.sandbox.requests
    .filter(
      (each) => each.method === method && each.route?.endsWith('/bans/{user_id}') && each.status === 204,
    )
    .map(({ path }) => path)
    .toSorted();

test('a mass ban whose bot is killed twice bans everybody once, and its undoing lifts each ban once', async () => {
  verifies('mass.effects', 'mass.undo');
  const ids = Array.from({ length: PEOPLE }, (_, n) => {
    const { member } = stage.sandbox.control.members({ action: 'join', name: `raider${n}` });
    return member?.user?.id ?? '';
  });
  const { body } = await stage.act('bans.preview', 'owner', { users: ids.join('\n'), include_left: false });
  const { preview } = body as OutputOf<'bans.preview'>;
  expect(preview.count).toBe(PEOPLE);

  const mass = await begin('bans.many', { preview_id: preview.id, count: PEOPLE, reason: 'Raid' });
  await killAfter(mass, 5);
  await killAfter(mass, 15);
  const all = { done: PEOPLE, failed: 0, unknown: 0, not_tried: 0 };
  expect(await resultOf(mass)).toMatchObject({ state: 'done', many: all });
  expect(bans()?.toSorted()).toEqual(ids.toSorted());
  expect(new Set(effects('PUT')).size).toBe(PEOPLE);
  expect(effects('PUT')).toHaveLength(PEOPLE);
  const { pool } = stage.test.database;
  const cases = await pool.query(
    "SELECT DISTINCT user_id FROM cases WHERE kind = 'ban' AND ended_at IS NULL",
  );
  expect([cases.rowCount, (await pool.query('SELECT FROM cases')).rowCount]).toEqual([PEOPLE, PEOPLE]);

  const undoing = await begin('bans.undo', { massId: mass });
  await killAfter(undoing, 10);
  expect(await resultOf(undoing)).toMatchObject({ state: 'done', many: all });
  expect(bans()).toEqual([]);
  expect(effects('DELETE')).toHaveLength(PEOPLE);
}, 240_000);
