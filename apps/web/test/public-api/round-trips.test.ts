import { seedToken, seedWindow } from '@bailiff/engine/testing';
import { type Counter, startCounter } from '@bailiff/engine/testing-round-trips';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ALL_NOTHING, type PublicApiHarness, sentinel, startPublicApi } from './harness.ts';

let counter: Counter;
let api: PublicApiHarness;

beforeAll(async () => {
  api = await startPublicApi({
    performers: ALL_NOTHING,
    through: async (url) => {
      counter = await startCounter(url);
      return counter.url;
    },
  });
});
afterAll(async () => {
  await api.close();
  counter.close();
});

/** Calls once to open connections, and counts the second call. */
async function tripsOf(call: () => Promise<{ status: number }>): Promise<{ status: number; trips: number }> {
  await call();
  const before = counter.count();
  const { status } = await call();
  return { status, trips: counter.count() - before };
}

it.each([
  ['/strikes', () => api.inGuild('/strikes?limit=10')],
  ['/members/{userId}', () => api.inGuild(`/members/${api.guild.memberId}`)],
  ['/audit', () => api.inGuild('/audit')],
])('GET %s takes 1 round trip to the database', async (_path, call) => {
  expect(await tripsOf(call)).toEqual({ status: 200, trips: 1 });
});

it.each([
  ['/me', () => api.call('/me')],
  ['/strikes with a filter', () => api.inGuild('/strikes?active=true')],
])('GET %s takes 3 round trips to the database', async (_path, call) => {
  expect(await tripsOf(call)).toEqual({ status: 200, trips: 3 });
});

it('GET /actions/{actionId}, whose capability is that of the action, takes no more', async () => {
  const token = await seedToken(api.database, api.guild);
  await seedWindow(api.database, api.guild, token);
  const input = { user_id: api.guild.memberId, severity: 'minor', reason: 'counted' };
  const body = { ...input, _confirmation: sentinel('strikes.add', api.guild, input) };
  await api.inGuild('/strikes', { method: 'POST', body, token });
  const { rows } = await api.database.pool.query('SELECT id FROM actions LIMIT 1');
  expect(await tripsOf(() => api.inGuild(`/actions/${rows[0].id}`))).toEqual({ status: 200, trips: 3 });
});

it('a strike takes 5, its effect included', async () => {
  const token = await seedToken(api.database, api.guild);
  await seedWindow(api.database, api.guild, token);
  const input = { user_id: api.guild.memberId, severity: 'minor', reason: 'counted' };
  const body = { ...input, _confirmation: sentinel('strikes.add', api.guild, input) };
  const call = () => api.inGuild('/strikes', { method: 'POST', body, token });
  expect(await tripsOf(call)).toEqual({ status: 201, trips: 5 });
});

it('submitting a ban takes 3; how it ended comes with the notification', async () => {
  const token = await seedToken(api.database, api.guild);
  await seedWindow(api.database, api.guild, token);
  const input = { user_id: api.guild.memberId, reason: 'counted' };
  const body = { ...input, _confirmation: sentinel('bans.add', api.guild, input) };
  const call = () => api.inGuild('/bans', { method: 'POST', body, token });
  expect(await tripsOf(call)).toEqual({ status: 201, trips: 3 });
});
