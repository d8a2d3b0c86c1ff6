import { verifies } from '@bailiff/core/testing';
import type { SeededGuild } from '@bailiff/engine/testing';
import { expect, it, vi } from 'vitest';
import { guildForEachTest } from './each-test.ts';
import { exhaust, type Person, type TestWeb } from './support.ts';

let web: TestWeb;
let guild: SeededGuild;
let owner: Person;

guildForEachTest((given) => {
  ({ web, guild, owner } = given);
});

it.each([
  [null, 'UPDATE guilds SET mirror_problem = NULL'],
  ['comparing', 'UPDATE guilds SET mirrored_at = NULL'],
  ['no_access', "UPDATE guilds SET mirrored_at = NULL, mirror_problem = 'no_access'"],
  ['rate_limited', "UPDATE guilds SET mirrored_at = NULL, mirror_problem = 'rate_limited'"],
  ['disconnected', "UPDATE gateway_shards SET heartbeat_at = now() - interval '61 seconds'"],
])('a page that looks hears %s as the trouble of its guild', async (trouble, change) => {
  verifies('dashboard.state-said');
  await web.db.pool.query(change);
  const { status, body } = await owner.call('GET', `/api/guilds/${guild.id}/state`);
  expect([status, body]).toEqual([200, { trouble, build: expect.any(String) }]);
});

it('a page that looks is refused while pages are, so that it is not loaded again', async () => {
  const state = () => owner.call('GET', `/api/guilds/${guild.id}/state`);
  await exhaust(web.db, 'pages:203.0.113.9', 1_199);
  expect((await state()).status).toBe(200);
  await exhaust(web.db, 'pages:203.0.113.9', 1_200);
  const { status, body } = await state();
  expect([status, body.error.code]).toEqual([429, 'RATE_LIMITED']);
});

it('a page that looks hears of a slow database where all else is well', async () => {
  verifies('dashboard.database-slow');
  await web.db.pool.query('UPDATE gateway_shards SET heartbeat_at = now()');
  await web.db.pool.query('TRUNCATE rate_limits');
  const { pool } = web.runtime.db;
  // Again, because a busy machine may be asked only when the pace has been measured anew.
  await vi.waitFor(async () => {
    const held: { release(): void }[] = [];
    try {
      while (held.length < pool.options.max) held.push(await pool.connect());
      await expect.poll(() => web.runtime.pace.isSlow()).toBe(true);
    } finally {
      for (const connection of held) connection.release();
    }
    const { body } = await owner.call('GET', `/api/guilds/${guild.id}/state`);
    expect(body).toEqual({ trouble: 'database_slow', build: expect.any(String) });
  }, 120_000);
});
