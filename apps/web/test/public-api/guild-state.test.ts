import { Me } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type PublicApiHarness, startPublicApi } from './harness.ts';

let api: PublicApiHarness;

beforeAll(async () => {
  api = await startPublicApi();
});
afterAll(() => api.close());

const NOT_COMPARED = 'UPDATE guilds SET mirrored_at = NULL';
const HEARTBEAT = 'UPDATE gateway_shards SET heartbeat_at = now()';

it.each([
  ['trusted', null, 'UPDATE guilds SET mirror_problem = NULL'],
  ['comparing', null, NOT_COMPARED],
  ['waiting', 'rate_limited', `${NOT_COMPARED}, mirror_problem = 'rate_limited'`],
  ['waiting', 'outage', `${NOT_COMPARED}, mirror_problem = 'outage'`],
  ['refused', 'no_access', `${NOT_COMPARED}, mirror_problem = 'no_access'`],
  ['disconnected', null, `${HEARTBEAT} - interval '61 seconds'`],
])(
  'a token says that its guild is %s (%s), and that nothing may be done until it is trusted',
  async (state, problem, change) => {
    verifies('me.guild-state');
    const { pool } = api.database;
    await pool.query('UPDATE guilds SET mirrored_at = now(), mirror_problem = NULL');
    await pool.query(HEARTBEAT);
    await pool.query(change);
    const { status, body } = await api.call('/me');
    expect(status).toBe(200);
    const { guild, snapshot, effective_capabilities } = Me.parse(body);
    expect(guild).toMatchObject({ id: api.guild.id, state, problem });
    expect(effective_capabilities).toEqual(state === 'trusted' ? snapshot : []);
    const read = await api.inGuild('/bans');
    expect([read.status, read.body.error?.details.guild_state]).toEqual(
      state === 'trusted' ? [200, undefined] : [503, state],
    );
  },
);
