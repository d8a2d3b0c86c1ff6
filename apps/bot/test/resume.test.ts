import { verifies } from '@bailiff/core/testing';
import { expect, test } from 'vitest';
import { guildForEachTest } from './each-test.ts';
import { countLostTrust, grant, newMember, personOf, type Stage } from './harness.ts';

let stage: Stage;
const { spoil } = guildForEachTest((next) => {
  stage = next;
});

const NAME = 'SELECT display_name FROM members WHERE guild_id = $1 AND user_id = $2';
const SHARD = 'SELECT lost_at, heartbeat_at FROM gateway_shards';
interface Shard {
  readonly lost_at: Date | null;
  readonly heartbeat_at: Date;
}

/** Everything that was asked about members of a guild. */
const listings = () =>
  stage.sandbox.requests.filter(({ route }) => route === '/guilds/{guild_id}/members').length;

/** Cuts the connection. Nothing can connect until `comeBack`. */
async function cutOff(refusal: 'answer' | 'reset' = 'answer'): Promise<void> {
  stage.sandbox.control.gateway({ action: 'refuse', refusal });
  stage.sandbox.control.gateway({ action: 'drop' });
  await stage.row<Shard>(SHARD, [], ({ lost_at }) => lost_at !== null);
}

async function comeBack(): Promise<void> {
  stage.sandbox.control.gateway({ action: 'accept' });
  await stage.row<Shard>(SHARD, [], ({ lost_at }) => lost_at === null);
}

/** Whether the guild was ever not trusted since this was called. */
function watchTrust(): Promise<() => Promise<number>> {
  spoil();
  return countLostTrust(stage);
}

test('a connection that is lost and resumed refuses no call, before, while and after', async () => {
  verifies('bot.resume-keeps-trust');
  const timesLost = await watchTrust();
  const listed = listings();
  const { identifies } = stage.sandbox.getState().gateway;
  const ban = () => stage.act('bans.add', 'owner', { user_id: newMember(stage.sandbox), reason: 'Spam' });
  await cutOff();
  expect(await ban()).toMatchObject({ status: 201 });
  await comeBack();
  expect(await ban()).toMatchObject({ status: 201 });
  stage.sandbox.control.gateway({ action: 'resume' });
  expect(await ban()).toMatchObject({ status: 201 });
  expect(await timesLost()).toBe(0);
  expect(listings(), 'no list was read again').toBe(listed);
  expect(stage.sandbox.getState().gateway.identifies).toBe(identifies);
});

test('what happened while the connection was lost is in the mirror before its heartbeat goes on', async () => {
  verifies('bot.resume-keeps-trust', 'H21');
  await grant(stage, 'Moderator', ['bans.write']);
  const moderator = [stage.guildId, personOf(stage.sandbox, 'moderator')];
  await stage.row(NAME, moderator);
  await cutOff();
  for (let step = 1; step < 5_000; step += 1) {
    stage.sandbox.control.members({ action: 'nick', user: 'moderator', nick: `Step ${step}` });
  }
  stage.sandbox.control.members({ action: 'nick', user: 'moderator', nick: 'Last' });
  await comeBack();
  const { rows } = await stage.test.database.pool.query(NAME, moderator);
  expect(rows).toEqual([{ display_name: 'Last' }]);
});

test('a network that is away for a moment does not cost the session', async () => {
  verifies('bot.resume-keeps-trust');
  const { identifies } = stage.sandbox.getState().gateway;
  const timesLost = await watchTrust();
  await cutOff('reset');
  await stage.sandbox.until(({ gateway }) => gateway.refused >= 2, 60_000, 'two refused connections');
  await comeBack();
  expect(stage.sandbox.getState().gateway.identifies).toBe(identifies);
  expect(await timesLost()).toBe(0);
});

test('a mirror whose connection stays away longer than a minute is not trusted', async () => {
  await cutOff();
  const { pool } = stage.test.database;
  await pool.query("UPDATE gateway_shards SET heartbeat_at = heartbeat_at - interval '61 seconds'");
  const call = stage.act('bans.add', 'owner', { user_id: newMember(stage.sandbox), reason: 'Spam' });
  await expect(call).rejects.toMatchObject({ status: 503, details: { outcome: 'not_performed' } });
  await comeBack();
  const again = stage.act('bans.add', 'owner', { user_id: newMember(stage.sandbox), reason: 'Spam' });
  expect(await again).toMatchObject({ status: 201 });
});
