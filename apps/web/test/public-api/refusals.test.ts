// What repeated refusals leave in the audit log.
import { verifies } from '@bailiff/core/testing';
import { listAuditLog } from '@bailiff/engine/audit/audit-log';
import { seedToken, seedWindow } from '@bailiff/engine/testing';
import { dropLapsed } from '@bailiff/engine/worker/housekeeping';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Call, type PublicApiHarness, startPublicApi } from './harness.ts';

let api: PublicApiHarness;

beforeEach(async () => {
  api = await startPublicApi();
});
afterEach(() => api.close());

const refusedRows = async () => (await api.audit()).filter(({ outcome }) => outcome === 'refused');

function strike(userId: string, given: Call = {}) {
  const body = { user_id: userId, reason: 'spam', severity: 'minor' };
  return api.inGuild('/strikes', { method: 'POST', body, ...given });
}

const FOREIGN = '198.51.100.7';

it('the same refusal within an hour is one row with a count, and another one is another row', async () => {
  verifies('limits.refusals.counted');
  const limited = await seedToken(api.database, api.guild, { ipAllowlist: ['192.0.2.0/24'] });
  await Promise.all(Array.from({ length: 8 }, () => strike(api.guild.memberId)));
  expect(await refusedRows()).toHaveLength(1);
  await strike(api.guild.strangerId);
  await strike(api.guild.memberId, { address: FOREIGN });
  await strike(api.guild.memberId, { token: limited, address: FOREIGN });
  await strike(api.guild.memberId, { token: limited, address: FOREIGN });
  await seedWindow(api.database, api.guild, api.token);
  await strike(api.guild.memberId);
  await strike(api.guild.memberId);

  const listed = (await api.inGuild('/audit', {})).body.data.filter(
    (row: { outcome: string }) => row.outcome === 'refused',
  );
  const told = listed.map((row: Record<string, unknown>) => [row.code, row.target_id, row.count]);
  const { memberId, strangerId } = api.guild;
  expect(told.toReversed()).toEqual([
    ['RE_AUTH_REQUIRED', memberId, 8],
    ['RE_AUTH_REQUIRED', strangerId, 1],
    ['RE_AUTH_REQUIRED', memberId, 1],
    ['TOKEN_IP_NOT_ALLOWED', null, 2],
    ['INVALID_CONFIRMATION', memberId, 2],
  ]);
  for (const { at, last_at, count } of listed)
    expect(count === 1 ? last_at === at : last_at >= at).toBe(true);
  const shown = await listAuditLog(api.engine.db, api.guild.id, { reads: false, limit: 50 });
  expect(
    shown
      .filter(({ outcome }) => outcome === 'refused')
      .map(({ count, lastAt }) => [count, lastAt.toISOString()]),
  ).toEqual(listed.map((row: { count: number; last_at: string }) => [row.count, row.last_at]));
});

it('after the hour the same refusal is a row of its own, and the count of the old one stays', async () => {
  verifies('limits.refusals.counted');
  await strike(api.guild.memberId);
  await strike(api.guild.memberId);
  await api.database.pool.query("UPDATE refusal_counts SET first_at = first_at - interval '61 minutes'");
  await strike(api.guild.memberId);
  const { data } = (await api.inGuild('/audit', {})).body;
  expect(data.map((row: { count: number }) => row.count).slice(0, 2)).toEqual([1, 2]);
  expect(await dropLapsed(api.database)).toMatchObject({ refusal_counts: 0 });
  await api.database.pool.query("UPDATE refusal_counts SET first_at = first_at - interval '61 minutes'");
  expect(await dropLapsed(api.database)).toMatchObject({ refusal_counts: 1 });
  const later = (await api.inGuild('/audit', {})).body.data;
  expect(later.filter((row: { outcome: string }) => row.outcome === 'refused')).toEqual(data);
});

it('a token that tries one call after the other leaves a bounded number of rows', async () => {
  verifies('limits.refusals.counted');
  const people = Array.from({ length: 40 }, (_, n) => String(100_000_000_000_000_000n + BigInt(n)));
  for (const userId of people) await strike(userId);
  const rows = await refusedRows();
  expect(rows.map(({ target_id }) => target_id)).toEqual([...people.slice(0, 20), null]);
  // With the digest the person could be found by trying all.
  const hasDigest = 'SELECT digest IS NOT NULL AS has FROM audit WHERE id = ANY ($1) ORDER BY id';
  const { rows: digests } = await api.database.pool.query(hasDigest, [rows.map(({ id }) => id)]);
  expect(digests.map(({ has }) => has)).toEqual([...people.slice(0, 20).map(() => true), false]);
  const { rows: counts } = await api.database.pool.query('SELECT sum(count)::int AS n FROM refusal_counts');
  expect(counts).toEqual([{ n: 40 }]);
});

it('a token that is tried from one address after the other leaves a bounded number of rows', async () => {
  verifies('limits.refusals.counted');
  const limited = await seedToken(api.database, api.guild, { ipAllowlist: ['192.0.2.0/24'] });
  const addresses = Array.from({ length: 130 }, (_, n) => `2001:db8::${n.toString(16)}`);
  for (const address of addresses) await strike(api.guild.memberId, { token: limited, address });
  const rows = await refusedRows();
  expect(rows.map(({ address }) => address)).toEqual([...addresses.slice(0, 100), null]);
  // Another code is not among those.
  await strike(api.guild.memberId, { token: limited, address: '192.0.2.7' });
  expect((await refusedRows()).slice(101)).toMatchObject([
    { code: 'RE_AUTH_REQUIRED', address: '192.0.2.7', target_id: api.guild.memberId },
  ]);
  const { rows: counts } = await api.database.pool.query('SELECT sum(count)::int AS n FROM refusal_counts');
  expect(counts).toEqual([{ n: 131 }]);
});

it.each(['revoked_at', 'expires_at'])(
  'a token with %s in the past leaves no row, wherever it is sent from',
  async (column) => {
    verifies('token.dead-writes-nothing');
    const token = await seedToken(api.database, api.guild, { ipAllowlist: ['192.0.2.0/24'] });
    await api.database.pool.query(`UPDATE tokens SET ${column} = now() - interval '1 second' WHERE id = $1`, [
      token.id,
    ]);
    const answer = await strike(api.guild.memberId, { token, address: FOREIGN });
    expect([answer.status, answer.body.error.code]).toEqual([403, 'TOKEN_IP_NOT_ALLOWED']);
    expect((await strike(api.guild.memberId, { token })).status).toBe(401);
    expect(await api.audit()).toEqual([]);
  },
);

it('asking again for the same approval adds no row anywhere', async () => {
  verifies('limits.refusals.counted');
  const counts = async () => {
    const { rows } = await api.database.pool.query(
      `SELECT (SELECT count(*) FROM audit WHERE NOT is_read) AS audit, (SELECT count(*) FROM approval_requests) AS asked,
         (SELECT count(*) FROM refusal_counts) AS counted`,
    );
    return rows;
  };
  await strike(api.guild.memberId);
  const before = await counts();
  for (let n = 0; n < 5; n += 1) await strike(api.guild.memberId);
  expect(await counts()).toEqual(before);
});
