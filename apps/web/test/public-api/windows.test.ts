import { CAPABILITIES } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { seedToken, seedWindow } from '@bailiff/engine/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { destructiveCalls, openRemovable, type Removable } from './destructive-calls.ts';
import { ALL_NOTHING, type PublicApiHarness, startPublicApi } from './harness.ts';

let api: PublicApiHarness;
let removable: Removable;

beforeAll(async () => {
  api = await startPublicApi({ performers: ALL_NOTHING });
  removable = await openRemovable(api.database, api.guild);
});

afterAll(async () => {
  await api.close();
});

beforeEach(() => api.database.pool.query('TRUNCATE budgets, windows CASCADE'));

async function states() {
  const { rows } = await api.database.pool.query(
    'SELECT operation, state FROM actions WHERE guild_id = $1 ORDER BY id',
    [api.guild.id],
  );
  return rows;
}

it('no destructive call is admitted without a window, not even with its sentinel', async () => {
  verifies(
    'window.required.strikes.add',
    'window.required.strikes.remove',
    'window.required.bans.lift',
    'window.required.mutes.add-long',
    'window.required.mutes.lift',
    'window.required.messages.purge',
    'window.required.servers.rcon',
    'errors.re-auth-required.status',
  );
  const token = await seedToken(api.database, api.guild, { capabilities: CAPABILITIES });
  for (const { operation, method, path, body, concrete } of destructiveCalls(api.guild, removable)) {
    const refused = await api.inGuild(path, { method, token, body: { ...body, _confirmation: concrete } });
    expect(refused.status, operation).toBe(403);
    expect(refused.body.error).toMatchObject({
      code: 'RE_AUTH_REQUIRED',
      retryable: false,
      details: { reauth_url: expect.stringContaining('http://dashboard.test/') },
    });
  }
  expect(await states()).toEqual([]);
  const { body } = await api.inGuild(`/strikes/${removable.strikeId}`);
  expect(body.active).toBe(true);
});

it('the same calls are admitted in a window: it alone was missing', async () => {
  verifies('window.admits-many');
  const token = await seedToken(api.database, api.guild);
  await seedWindow(api.database, api.guild, token);
  const calls = destructiveCalls(api.guild, removable);
  for (const { operation, method, path, body, concrete } of calls) {
    await api.database.pool.query('TRUNCATE budgets');
    const answer = await api.inGuild(path, { method, token, body: { ...body, _confirmation: concrete } });
    expect([200, 201], operation).toContain(answer.status);
  }
  expect(await states()).toEqual(calls.map(({ operation }) => ({ operation, state: 'done' })));
});

it('a mute of up to a day needs neither window nor sentinel, a longer one both', async () => {
  verifies('window.not-required.short-mute');
  const mute = (minutes: number) =>
    api.inGuild('/mutes', {
      method: 'POST',
      body: { user_id: api.guild.memberId, reason: 'spam', duration_minutes: minutes },
    });
  expect((await mute(1)).status).toBe(201);
  expect((await mute(1440)).status).toBe(201);
  expect((await mute(1441)).body.error.code).toBe('RE_AUTH_REQUIRED');
});

it('no token has a window of its own making, and each has its own', async () => {
  verifies('window.other-token');
  const other = await seedToken(api.database, api.guild);
  await seedWindow(api.database, api.guild, other);
  for (const { operation, method, path, body, concrete } of destructiveCalls(api.guild, removable)) {
    const refused = await api.inGuild(path, { method, body: { ...body, _confirmation: concrete } });
    expect(refused.body.error.code, operation).toBe('RE_AUTH_REQUIRED');
  }
});

it('without one, wrong input is reported first, and a wrong sentinel not at all', async () => {
  verifies('pipeline.input-before-window', 'pipeline.window-before-sentinel');
  for (const { operation, method, path, body } of destructiveCalls(api.guild, removable)) {
    const call = (more: object) => api.inGuild(path, { method, body: { ...body, ...more } });
    expect((await call({ colour: 'red' })).body.error.code, operation).toBe('VALIDATION_FAILED');
    expect((await call({})).body.error.code, operation).toBe('RE_AUTH_REQUIRED');
    expect((await call({ _confirmation: 'YES' })).body.error.code, operation).toBe('RE_AUTH_REQUIRED');
  }
});
