// Reads that arrive together are sent together: what one of them is or does changes nothing for the others.
import { TIERS } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { createWaiters } from '@bailiff/engine/database/waiters';
import { DEADLINES } from '@bailiff/engine/engine';
import { seedGuild, seedToken } from '@bailiff/engine/testing';
import { type Counter, startCounter } from '@bailiff/engine/testing-round-trips';
import { openDatabase } from '@bailiff/prisma';
import { LONG_LIMITS } from '@bailiff/prisma/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { PUBLIC_LIMIT } from '#src/address-limit.ts';
import type { RequestLog } from '#src/http/kernel.ts';
import { createPublicApi } from '#src/public-api/handler.ts';
import { exhaust } from '#test/support.ts';
import { type PublicApiHarness, startPublicApi } from './harness.ts';

let api: PublicApiHarness;
let counter: Counter;
let failures: object[];

beforeAll(async () => {
  api = await startPublicApi({
    onError: (fields) => void failures.push(fields),
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
beforeEach(async () => {
  failures = [];
  await query('TRUNCATE budgets, rate_limits');
});

const query = async (sql: string, values: unknown[] = []) =>
  (await api.database.pool.query(sql, values)).rows;
const times = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n));
/** How many reads are recorded, by how they ended. */
async function recorded(): Promise<Record<string, number>> {
  const rows = await query('SELECT outcome, count(*)::int FROM audit WHERE is_read GROUP BY 1');
  return Object.fromEntries(rows.map(({ outcome, count }) => [outcome, count]));
}

it('50 reads at once of different guilds take one round trip', async () => {
  const guilds = await Promise.all(times(50, () => seedGuild(api.database)));
  const tokens = await Promise.all(guilds.map((guild) => seedToken(api.database, guild)));
  await api.inGuild('/strikes');
  const before = counter.count();
  const answers = await Promise.all(
    tokens.map((token, n) => api.call(`/guilds/${guilds[n]?.id}/strikes`, { token })),
  );
  expect(counter.count() - before).toBe(1);
  expect(answers.map(({ status, body }) => [status, body.data])).toEqual(times(50, () => [200, []]));
});

it('each of the reads that are sent together is recorded with what it was about', async () => {
  verifies('reads.one-of-many');
  const ids = times(20, (n) => `tkt_${String(n).padStart(32, '0')}`);
  await query(
    `INSERT INTO tickets (id, guild_id, number, subject, opened_by) SELECT id, $1, 1000 + n, 'x', $2
     FROM unnest($3::text[]) WITH ORDINALITY AS given (id, n)`,
    [api.guild.id, api.guild.memberId, ids],
  );
  const answers = await Promise.all(ids.map((id) => api.inGuild(`/tickets/${id}`)));
  const about = await query('SELECT request_id, target_id FROM audit WHERE request_id = ANY ($1)', [
    answers.map(({ headers }) => headers.get('X-Request-Id')),
  ]);
  const targets = new Map(about.map(({ request_id, target_id }) => [request_id, target_id]));
  expect(answers.map(({ headers }) => targets.get(headers.get('X-Request-Id')))).toEqual(ids);
});

it('one malformed call among 49 good ones changes nothing for the 49', async () => {
  verifies('reads.one-of-many');
  const other = await seedGuild(api.database);
  const nobody = await seedToken(api.database, api.guild, { issuerId: api.guild.strangerId });
  const elsewhere = await seedToken(api.database, api.guild, { ipAllowlist: ['no network', '10.0.0.0/8'] });
  const strikes = `/guilds/${api.guild.id}/strikes`;
  const bad: [number, string, Parameters<typeof api.call>[1]?][] = [
    [403, `/guilds/1%002/strikes`],
    [403, `/guilds/${'9'.repeat(2_000)}/strikes`],
    [403, `/guilds/%F0%9F%92%A9/strikes`],
    [403, `/guilds/${other.id}/strikes`],
    [400, `${strikes}?limit=0`],
    [400, `${strikes}?cursor=%00`],
    [400, `${strikes}?cursor=YWxs`],
    [400, `${strikes}?nothing=1`],
    [401, strikes, { token: '' }],
    [401, strikes, { token: 'svcpat_nonsense' }],
    [401, strikes, { token: `svcpat_${'0'.repeat(48)}` }],
    [403, strikes, { token: nobody }],
    [403, strikes, { token: elsewhere }],
    [403, strikes, { token: elsewhere, address: 'no address' }],
    [200, strikes, { address: 'an unknown one' }],
  ];
  for (const [status, path, given] of bad) {
    await query('TRUNCATE budgets, rate_limits');
    const { performed = 0 } = await recorded();
    const calls = times(50, (n) => (n === 25 ? api.call(path, given) : api.inGuild('/strikes')));
    const answers = await Promise.all(calls);
    expect([path, answers[25]?.status]).toEqual([path, status]);
    const good = answers.filter((_, n) => n !== 25);
    expect(good.map((answer) => answer.status)).toEqual(times(49, () => 200));
    expect(await recorded()).toEqual({ performed: performed + (status === 200 ? 50 : 49) });
    const left = good.map(({ headers }) => Number(headers.get('RateLimit')?.match(/"token";r=(\d+)/)?.[1]));
    expect(Math.min(...left)).toBeGreaterThanOrEqual(TIERS.read.capacity - 50);
  }
  expect(failures).toEqual([]);
});

it('400 calls at once of two tokens of one person in two processes: exactly what the budgets hold is answered', async () => {
  verifies('reads.charged-in-turn', 'G4', 'H8');
  const other = openDatabase(counter.url, { ...LONG_LIMITS, applicationName: 'api' });
  try {
    const { dashboardUrl } = api.engine;
    const engine = { db: other, waiters: createWaiters(), dashboardUrl };
    const log: RequestLog = { info: () => {}, error: (fields) => void failures.push(fields) };
    const second = createPublicApi(engine, log, new AbortController().signal);
    const tokens = [api.token, await seedToken(api.database, api.guild)];
    for (const held of [null, 0]) {
      await query('TRUNCATE budgets, rate_limits');
      const { performed = 0 } = await recorded();
      const startedAt = performance.now();
      if (held !== null) {
        for (const holder of [api.guild.ownerId, ...tokens.map(({ id }) => id)]) {
          await query(
            `INSERT INTO budgets (guild_id, holder_id, tier, balance, updated_at)
             VALUES ($1, $2, 'read', $3, now() + interval '10 minutes')`,
            [api.guild.id, holder, held],
          );
        }
      }
      const answers = await Promise.all(
        times(400, async (n) => {
          const secret = tokens[n % 2]?.secret ?? '';
          if (n % 4 < 2) return api.inGuild('/strikes', { token: secret });
          const url = `http://api.test/api/public/v1/guilds/${api.guild.id}/bans`;
          const request = new Request(url, { headers: { Authorization: `Bearer ${secret}` } });
          return second(request, { address: '192.0.2.1' });
        }),
      );
      const answered = answers.filter(({ status }) => status === 200).length;
      const [user] = await query('SELECT balance FROM budgets WHERE holder_id = $1', [api.guild.ownerId]);
      // What came back meanwhile, one call a second, can pay for some more.
      const seconds = Math.ceil((performance.now() - startedAt) / 1_000);
      expect(answered).toBeGreaterThanOrEqual(held ?? TIERS.read.capacity);
      expect(answered).toBeLessThanOrEqual((held ?? TIERS.read.capacity) + seconds);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(400 - answered);
      expect(user.balance).toBeLessThan(1);
      expect(await recorded()).toEqual({ performed: performed + answered });
      const [{ points }] = await query("SELECT points FROM rate_limits WHERE key = 'public:192.0.2.1'");
      expect(points).toBe(400);
    }
    expect(failures).toEqual([]);
  } finally {
    await other.close();
  }
});

it('of 50 reads at once from an address that has 20 left, exactly 20 are answered, charged and recorded', async () => {
  verifies('limits.token.early-refusal-free');
  const address = '192.0.2.88';
  await exhaust(api.database, `public:${address}`, PUBLIC_LIMIT.requests - 20);
  const { performed = 0 } = await recorded();
  const asked = times(50, () => [
    api.inGuild('/strikes', { address }),
    // Calls from elsewhere that come with them leave none of them more room.
    api.inGuild('/strikes', { address: '192.0.2.89' }),
  ]);
  const [answers, others] = await Promise.all([
    Promise.all(asked.map(([limited]) => limited as NonNullable<typeof limited>)),
    Promise.all(asked.map(([, free]) => free as NonNullable<typeof free>)),
  ]);
  expect(others.map(({ status }) => status)).toEqual(times(50, () => 200));
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.map(({ body }) => body.error.details.scope)).toEqual(times(30, () => 'ip'));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
  expect(await recorded()).toEqual({ performed: performed + 70 });
  const budgets = await query('SELECT balance FROM budgets');
  expect(budgets).toHaveLength(2);
  for (const { balance } of budgets) {
    // Some of it may have come back meanwhile, between two batches.
    expect(balance).toBeGreaterThanOrEqual(TIERS.read.capacity - 70);
    expect(balance).toBeLessThan(TIERS.read.capacity);
  }
});

it('a read does not wait for a change of its token that is under way', async () => {
  verifies('reads.one-of-many');
  const token = await seedToken(api.database, api.guild);
  const changing = await api.database.pool.connect();
  try {
    await changing.query('BEGIN');
    await changing.query('SELECT FROM tokens WHERE id = $1 FOR NO KEY UPDATE', [token.id]);
    const { status } = await api.inGuild('/strikes', { token: token.secret });
    expect(status).toBe(200);
  } finally {
    await changing.query('ROLLBACK');
    changing.release();
  }
});

it('a read whose caller was told that nothing was done is not done when the database is back', async () => {
  const blocker = await api.database.pool.connect();
  const long = { ...DEADLINES };
  const held = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  try {
    await blocker.query('BEGIN; LOCK TABLE game_servers IN ACCESS EXCLUSIVE MODE');
    const first = api.inGuild('/servers');
    await expect.poll(() => query(held)).toHaveLength(1);
    Object.assign(DEADLINES, { storeMs: 100 });
    const behind = await Promise.all(times(3, () => api.inGuild('/servers')));
    Object.assign(DEADLINES, long);
    for (const { status, body } of behind) {
      expect([status, body.error?.details]).toMatchObject([503, { outcome: 'not_performed' }]);
    }
    await blocker.query('ROLLBACK');
    expect([(await first).status, (await api.inGuild('/servers')).status]).toEqual([200, 200]);
    const ids = behind.map(({ headers }) => headers.get('X-Request-Id'));
    expect(await query('SELECT outcome FROM audit WHERE request_id = ANY ($1)', [ids])).toEqual([]);
  } finally {
    Object.assign(DEADLINES, long);
    await blocker.query('ROLLBACK');
    blocker.release();
  }
});

it('a database that ends the connection in the middle of a batch: each caller gets a true answer', async () => {
  verifies('reads.lost-batch', 'errors.503-certain');
  await api.inGuild('/servers');
  const blocker = await api.database.pool.connect();
  try {
    await blocker.query('BEGIN; LOCK TABLE game_servers IN ACCESS EXCLUSIVE MODE');
    const calls = times(50, () => api.inGuild('/servers'));
    const ended = `SELECT count(pg_terminate_backend(pid))::int AS ended FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await expect.poll(() => query(ended)).toEqual([{ ended: 1 }]);
    for (const { status, headers, body } of await Promise.all(calls)) {
      expect([status, body.error?.details]).toMatchObject([503, { outcome: 'not_performed' }]);
      expect(Number(headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
    }
  } finally {
    await blocker.query('ROLLBACK');
    blocker.release();
  }
  // The answer of a batch that the database has carried out is lost, too.
  const hasLost = counter.loseAnswerAfter(0);
  const lost = await Promise.all(times(50, () => api.inGuild('/servers')));
  expect(hasLost()).toBe(true);
  for (const { status, body } of lost) {
    expect([status, body.error?.details]).toMatchObject([503, { outcome: 'not_performed' }]);
  }
  await query('TRUNCATE budgets');
  const after = await Promise.all(times(10, () => api.inGuild('/servers')));
  expect(after.map(({ status }) => status)).toEqual(times(10, () => 200));
});
