import { verifies } from '@bailiff/core/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newMember, type Stage, setStage } from './harness.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage();
});
afterAll(() => stage.close());

const sql = (text: string) => stage.test.database.pool.query(text);
const ban = () => stage.act('bans.add', 'owner', { user_id: newMember(stage.sandbox), reason: 'Spam' });

test('an action that the bot is not notified of is performed all the same', async () => {
  verifies('bot.offers');
  await sql(
    `CREATE OR REPLACE FUNCTION offer_action(p_action_id text, p_queue text) RETURNS void LANGUAGE sql AS ''`,
  );
  expect((await ban()).status).toBe(201);
});

test('an action that is offered many times is performed once', async () => {
  verifies('bot.offers');
  await sql(`CREATE OR REPLACE FUNCTION offer_action(p_action_id text, p_queue text) RETURNS void LANGUAGE sql AS $$
    SELECT pg_notify('bailiff_actions', json_build_object('action_id', id, 'guild_id', guild_id, 'operation', operation,
      'person', target_id, 'n', n)::text)
    FROM actions, generate_series(1, 20) AS n WHERE id = p_action_id $$`);
  const before = banRequests();
  expect((await ban()).status).toBe(201);
  expect(banRequests()).toBe(before + 1);
});

test('a notification that is no offer changes nothing', async () => {
  verifies('bot.offers');
  await sql(`CREATE OR REPLACE FUNCTION offer_action(p_action_id text, p_queue text) RETURNS void LANGUAGE sql AS $$
    SELECT pg_notify('bailiff_actions', '{'); SELECT pg_notify('bailiff_actions', '{"action_id": 1}') $$`);
  expect((await ban()).status).toBe(201);
});

/** How many bans Discord was asked for. */
function banRequests(): number {
  return stage.sandbox.requests.filter(({ method, path }) => method === 'PUT' && path.includes('/bans/'))
    .length;
}
