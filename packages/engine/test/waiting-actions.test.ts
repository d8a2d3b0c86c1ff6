import { type Call, digestOf } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { createTestDatabase, listenAtLast, type TestDatabase } from '@bailiff/prisma/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type SeededGuild, seedGuild } from '#src/testing.ts';
import { performWaiting } from '#src/worker/waiting-actions.ts';

let test: TestDatabase;
let guild: SeededGuild;
beforeEach(async () => {
  test = await createTestDatabase();
  guild = await seedGuild(test.database);
});
afterEach(() => test.drop());

const BAN = { operation: 'bans.add', input: { user_id: '123456789012345678', reason: 'spam' } } as const;
const COMMAND = {
  operation: 'servers.rcon',
  input: { serverId: 'srv_0198c0a0000070008000000000000001', command: 'list' },
} as const;

/** Records an action of the guild's owner that waits since now, for these seconds. */
async function waiting({ operation, input }: Call, seconds: number, guildId = guild.id): Promise<string> {
  const { rows } = await test.database.pool.query<{ id: string }>(
    `INSERT INTO actions (guild_id, operation, input, digest, actor_source, actor_user_id, request_id, claim_by)
     VALUES ($1, $2, $3, $4, 'chat', $5, 'req_waits', clock_timestamp() + make_interval(secs => $6)) RETURNING id`,
    [guildId, operation, input, digestOf(operation, guildId, input), guild.ownerId, seconds],
  );
  return rows[0]?.id ?? '';
}

/** The ids of the actions that bots are told of by `work`, in order. */
async function offeredBy(work: () => Promise<void>): Promise<string[]> {
  const offered: string[] = [];
  const over = Promise.withResolvers<void>();
  const listener = await listenAtLast(test.url, ['bailiff_actions', 'over'], (channel, payload) => {
    if (channel === 'over') over.resolve();
    else offered.push((JSON.parse(payload) as { action_id: string }).action_id);
  });
  await work();
  await test.database.pool.query('NOTIFY over');
  await over.promise;
  await listener.close();
  return offered;
}

it("offers the guild's actions whose callers still wait once more, in their order", async () => {
  verifies('bot.waiting-actions');
  const other = await seedGuild(test.database);
  const first = await waiting(BAN, 60);
  await waiting(BAN, -1);
  await waiting(BAN, 60, other.id);
  const second = await waiting(BAN, 60);
  const claimed = await waiting(BAN, 60);
  await test.database.pool.query("UPDATE actions SET state = 'running' WHERE id = $1", [claimed]);
  expect(await offeredBy(() => performWaiting(test.database, guild.id))).toEqual([first, second]);
});

it('names the person whom an offered action is about, and nobody where it is about a channel', async () => {
  verifies('bot.waiting-actions');
  const offers: unknown[] = [];
  const over = Promise.withResolvers<void>();
  const listener = await listenAtLast(test.url, ['bailiff_actions', 'over'], (channel, payload) => {
    if (channel === 'over') over.resolve();
    else offers.push((JSON.parse(payload) as { person: string | null }).person);
  });
  for (const [type, target] of [
    ['user', '123456789012345678'],
    ['channel', '834989431927603200'],
  ]) {
    const id = await waiting(BAN, 60);
    await test.database.pool.query('UPDATE actions SET target_type = $2, target_id = $3 WHERE id = $1', [
      id,
      type,
      target,
    ]);
    await test.database.pool.query('SELECT offer_action($1, NULL)', [id]);
  }
  await test.database.pool.query('NOTIFY over');
  await over.promise;
  await listener.close();
  expect(offers).toEqual(['123456789012345678', null]);
});

it('puts what is done one at a time back into its queue', async () => {
  verifies('bot.waiting-actions');
  const id = await waiting(COMMAND, 60);
  expect(await offeredBy(() => performWaiting(test.database, guild.id))).toEqual([]);
  const { rows } = await test.database.pool.query(
    "SELECT payload->>'action_id' AS id, task_id FROM graphile_worker._private_jobs WHERE job_queue_id IS NOT NULL",
  );
  expect(rows.map((row) => row.id)).toEqual([id]);
});

it('leaves alone an action whose input its operation does not take', async () => {
  verifies('bot.waiting-actions');
  const id = await waiting(BAN, 60);
  await test.database.pool.query(`UPDATE actions SET input = '{"user_id": 1}' WHERE id = $1`, [id]);
  expect(await offeredBy(() => performWaiting(test.database, guild.id))).toEqual([]);
});
