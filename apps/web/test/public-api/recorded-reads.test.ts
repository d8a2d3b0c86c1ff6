import { verifies } from '@bailiff/core/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { endWaiting } from '#test/support.ts';
import { type PublicApiHarness, startPublicApi } from './harness.ts';
import { readCalls } from './read-calls.ts';

let api: PublicApiHarness;
let failures: object[];

beforeAll(async () => {
  api = await startPublicApi({ onError: (fields) => void failures.push(fields) });
});
afterAll(() => api.close());
beforeEach(async () => {
  failures = [];
  await api.database.pool.query('TRUNCATE budgets');
});

const query = async (sql: string) => (await api.database.pool.query(sql)).rows;

/** The audit rows of what happened meanwhile. */
async function recordedBy(call: () => Promise<unknown>) {
  const before = (await api.audit()).length;
  await call();
  return (await api.audit()).slice(before).map(({ operation, outcome, code }) => [operation, outcome, code]);
}

const balances = () => query('SELECT floor(balance)::int AS balance FROM budgets');

it('a read of what does not exist is charged, and recorded as refused', async () => {
  verifies('audit.read-404');
  const absent = '0'.repeat(32);
  for (const [operation, path] of [
    ['strikes.get', `/strikes/str_${absent}`],
    ['bans.get', `/bans/${api.guild.strangerId}`],
    ['tickets.get', `/tickets/tkt_${absent}`],
    ['appeals.get', `/appeals/apl_${absent}`],
    ['reports.get', `/reports/rpt_${absent}`],
    ['members.get', '/members/100000000000000999'],
    ['actions.get', `/actions/act_${absent}`],
  ] as const) {
    await query('TRUNCATE budgets');
    const recorded = await recordedBy(async () => expect((await api.inGuild(path)).status).toBe(404));
    expect(await balances()).toEqual([{ balance: 119 }, { balance: 119 }]);
    expect(recorded).toEqual([[operation, 'refused', 'NOT_FOUND']]);
  }
});

it('a read that is answered is recorded as performed, with what it was about; an empty list too', async () => {
  verifies('audit.read-404');
  expect((await api.inGuild('/bans')).body.data).toEqual([]);
  for (const [operation, path] of await readCalls(api)) {
    const recorded = await recordedBy(async () => expect((await api.call(path)).status).toBe(200));
    expect(recorded).toEqual([[operation, 'performed', null]]);
    // What stands in the path behind the kind of thing.
    const [, , , , id] = path.split('/');
    if (id !== undefined) expect((await api.audit()).at(-1)).toMatchObject({ operation, target_id: id });
  }
});

it('a read whose query fails is charged and recorded all the same', async () => {
  verifies('audit.reads.committed');
  await query('ALTER TABLE tickets RENAME COLUMN subject TO subject_of_tomorrow');
  try {
    const recorded = await recordedBy(async () => expect((await api.inGuild('/tickets')).status).toBe(500));
    expect(recorded).toEqual([['tickets.list', 'failed', 'INTERNAL_ERROR']]);
    expect(await balances()).toEqual([{ balance: 119 }, { balance: 119 }]);
    expect(failures).toHaveLength(1);
  } finally {
    await query('ALTER TABLE tickets RENAME COLUMN subject_of_tomorrow TO subject');
  }
});

it('a read that is too slow is charged and recorded all the same', async () => {
  verifies('audit.reads.committed');
  const blocker = await api.database.pool.connect();
  try {
    await blocker.query('BEGIN; LOCK TABLE game_servers IN ACCESS EXCLUSIVE MODE');
    const recorded = await recordedBy(async () => {
      const waiting = api.inGuild('/servers');
      await endWaiting(api.database);
      expect((await waiting).status).toBe(503);
    });
    expect(recorded).toEqual([['servers.list', 'failed', 'UPSTREAM_UNAVAILABLE']]);
    expect(await balances()).toEqual([{ balance: 119 }, { balance: 119 }]);
  } finally {
    await blocker.query('ROLLBACK');
    blocker.release();
  }
});
