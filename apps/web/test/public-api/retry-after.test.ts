import { inTime, verifies } from '@bailiff/core/testing';
import { seedWindow } from '@bailiff/engine/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { exhaust } from '#test/support.ts';
import { destructiveCalls } from './destructive-calls.ts';
import { ALL_NOTHING, type Answer, NOTHING, type PublicApiHarness, startPublicApi } from './harness.ts';

let api: PublicApiHarness;
/** Mutes are performed once this is settled. */
let held: Promise<void> | undefined;

beforeAll(async () => {
  const perform: typeof NOTHING.perform = async (action, signal) => {
    await held;
    return NOTHING.perform(action, signal);
  };
  api = await startPublicApi({ performers: { ...ALL_NOTHING, 'mutes.add': { ...NOTHING, perform } } });
  await seedWindow(api.database, api.guild, api.token);
});

afterAll(async () => {
  await api.close();
});

beforeEach(() => api.database.pool.query('TRUNCATE budgets, rate_limits'));

const sql = (text: string, ...values: unknown[]) => api.database.pool.query(text, values);

/** Moves the stored times of budgets back, instead of waiting. */
const letBudgetsPass = (seconds: number) =>
  sql('UPDATE budgets SET updated_at = updated_at - make_interval(secs => $1)', seconds);

function strike(): Promise<Answer> {
  const [call] = destructiveCalls(api.guild);
  const body = { ...call?.body, _confirmation: call?.concrete };
  return api.inGuild('/strikes', { method: 'POST', body });
}

function shortMute(): Promise<Answer> {
  const body = { user_id: api.guild.memberId, reason: 'spam', duration_minutes: 5 };
  return api.inGuild('/mutes', { method: 'POST', body });
}

/** The seconds that a refusal says to wait, equal in header and details. */
function secondsOf(refused: Answer): number {
  expect([refused.status, refused.body.error.code]).toEqual([429, 'RATE_LIMITED']);
  const seconds = refused.headers.get('Retry-After') ?? '';
  expect(seconds).toMatch(/^[1-9]\d*$/);
  expect(refused.body.error.details.retry_after_seconds).toBe(Number(seconds));
  return Number(seconds);
}

/**
 * The answers to a call whose budget is used up, and to one that comes a second before the time that the first names:
 * rounding up by more than one would keep callers out needlessly.
 */
function aSecondTooEarly(holder: string, tier: string, call: () => Promise<Answer>) {
  return inTime(1, async () => {
    await sql(
      'UPDATE budgets SET balance = 0, updated_at = clock_timestamp() WHERE holder_id = $1 AND tier = $2',
      holder,
      tier,
    );
    const refused = await call();
    await letBudgetsPass(Number(refused.headers.get('Retry-After')) - 1.2);
    return { refused, early: await call() };
  });
}

describe('Retry-After of a used up budget', () => {
  it.each([
    ['read', () => api.inGuild('/strikes')],
    ['reversible_write', shortMute],
    ['destructive_write', strike],
  ] as const)(
    'for %s is whole seconds after which the call passes, and not one earlier',
    async (tier, call) => {
      verifies('errors.rate-limited.retry-after', 'limits.token.details', 'H13');
      for (const holder of [api.token.id, api.guild.ownerId]) {
        await sql('TRUNCATE budgets');
        expect((await call()).status).toBeLessThan(300);
        const { refused, early } = await aSecondTooEarly(holder, tier, call);
        const seconds = secondsOf(refused);
        expect(secondsOf(early)).toBeLessThanOrEqual(2);
        await letBudgetsPass(1.2);
        expect((await call()).status, `${tier} after ${seconds} s`).toBeLessThan(300);
      }
    },
  );
});

it('Retry-After of an address is the rest of its window', async () => {
  verifies('errors.rate-limited.retry-after', 'H13');
  const address = '198.51.100.70';
  await api.call('/me', { address });
  await exhaust(api.database, `public:${address}`);
  const { rows } = await sql("SELECT expire FROM rate_limits WHERE key = 'public:' || $1", address);
  const left = () => (Number(rows[0].expire) - Date.now()) / 1000;
  const most = left();
  const seconds = secondsOf(await api.call('/me', { address }));
  expect(seconds).toBeLessThanOrEqual(300);
  // It was computed at some moment of the call, and rounded; the clock may have stepped back meanwhile.
  expect(seconds).toBeLessThanOrEqual(most + 2);
  expect(seconds).toBeGreaterThanOrEqual(left() - 1);
});

it('Retry-After of a key whose call still runs is one second', async () => {
  verifies('errors.rate-limited.retry-after', 'H13');
  const body = { user_id: api.guild.memberId, reason: 'spam', duration_minutes: 5 };
  const send = () => api.inGuild('/mutes', { method: 'POST', body, headers: { 'Idempotency-Key': 'h13' } });
  const gate = Promise.withResolvers<void>();
  held = gate.promise;
  const first = send();
  await expect.poll(async () => (await sql("SELECT FROM actions WHERE state = 'running'")).rowCount).toBe(1);
  expect(secondsOf(await send())).toBe(1);
  gate.resolve();
  expect((await first).status).toBe(201);
  expect((await send()).status).toBe(201);
});

it('a bot that is away is 503 with Retry-After; nothing else has one', async () => {
  verifies('H13');
  await sql("UPDATE gateway_shards SET heartbeat_at = now() - interval '1 hour'");
  const away = await api.inGuild('/strikes');
  expect([away.status, away.body.error.code]).toEqual([503, 'UPSTREAM_UNAVAILABLE']);
  expect(away.headers.get('Retry-After')).toMatch(/^[1-9]\d*$/);
  await sql('UPDATE gateway_shards SET heartbeat_at = now()');
  const others = [
    await api.inGuild('/strikes'),
    await strike(),
    await api.call('/me', { token: '' }),
    await api.call('/nowhere'),
    await api.inGuild('/bans', { method: 'POST', body: {} }),
    await api.inGuild('/bans', { method: 'POST', body: '{' }),
    await api.inGuild('/strikes', { headers: { Origin: 'https://example.com' } }),
  ];
  expect(others.map(({ status }) => status)).toEqual([200, 201, 401, 404, 422, 400, 403]);
  for (const { headers } of others) expect(headers.get('Retry-After')).toBeNull();
});
