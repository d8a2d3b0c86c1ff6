import { verifies } from '@bailiff/core/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BailiffClient, BailiffError } from '#src/index.ts';
import { pauseMs } from '#src/pacing.ts';
import {
  type Behaviour,
  dropConnection,
  type HostileServer,
  html,
  json,
  neverEnd,
  refusal,
  startHostileServer,
} from './hostile-server.ts';

const GUILD = '200000000000000001';
const USER = '300000000000000001';
const ID = `apr_${'1'.repeat(32)}`;
const BAN = {
  user_id: USER,
  reason: 'Spam',
  _confirmation: `BAN USER ${USER} IN GUILD ${GUILD} PERMANENT`,
};
const DONE = json(201, { ban: { user_id: USER } });
const asks = (details: object): Behaviour =>
  refusal(403, 'RE_AUTH_REQUIRED', false, { details: { reauth_url: 'https://bailiff.test/a', ...details } });
const PENDING = asks({ approval_state: 'pending', approval_id: ID });
const approval = (state: string, headers: Record<string, string> = {}) =>
  json(200, { id: ID, state }, headers);

let server: HostileServer | undefined;
/** How many milliseconds the client has waited. Nothing else moves its clock. */
let waits: number[];

beforeEach(() => {
  waits = [];
});
afterEach(async () => {
  vi.restoreAllMocks();
  await server?.close();
});

async function clientOf(...behaviours: Behaviour[]): Promise<BailiffClient> {
  server = await startHostileServer(...behaviours);
  return new BailiffClient({
    url: server.url,
    token: 'svcpat_x',
    guildId: GUILD,
    environment: {
      now: () => waits.reduce((sum, ms) => sum + ms, 0),
      random: () => 0,
      sleep: async (ms) => void waits.push(ms),
    },
  });
}

async function failureOf(work: Promise<unknown>): Promise<BailiffError> {
  const error = await work.catch((reason: unknown) => reason);
  if (error instanceof BailiffError) return error;
  throw new Error('The call did not fail with a BailiffError.', { cause: error });
}

test('a call that waits for approval is repeated under its key once that is given', async () => {
  verifies('client.approvals');
  const waited = approval('pending', { 'Preference-Applied': 'wait=30', 'Retry-After': '5' });
  const client = await clientOf(
    PENDING,
    waited,
    approval('pending', { 'Retry-After': '7' }),
    approval('approved'),
    DONE,
  );
  const asked: unknown[] = [];
  const limits = vi.spyOn(AbortSignal, 'timeout');
  const body = await client.call('bans.add', BAN, { approval: { onAsked: (each) => asked.push(each) } });
  expect(body).toEqual({ ban: { user_id: USER } });
  expect(asked).toEqual([
    { reauth_url: 'https://bailiff.test/a', approval_state: 'pending', approval_id: ID },
  ]);
  const [first, look, ...rest] = server?.received ?? [];
  expect(look).toMatchObject({ method: 'GET', path: `/api/public/v1/guilds/${GUILD}/approvals/${ID}` });
  expect(look?.headers.prefer).toBe('wait=30');
  // An answer that comes after these 30 s still comes in time.
  const [, ...looks] = limits.mock.calls.map(([ms]) => ms).slice(0, -1);
  expect(looks).toHaveLength(3);
  expect(Math.min(...looks)).toBeGreaterThan(30_000);
  expect(waits).toEqual([7_000]); // only where the answer had not waited
  const last = rest.at(-1);
  expect([last?.method, last?.body]).toEqual(['POST', first?.body]);
  expect(last?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
});

test('an instance that asks for a long pause meanwhile does not end the wait for the owner', async () => {
  verifies('client.approvals');
  const away = refusal(503, 'UPSTREAM_UNAVAILABLE', true, { retryAfter: '100' });
  const client = await clientOf(PENDING, away, approval('approved'), DONE);
  expect(await client.call('bans.add', BAN, { approval: {} })).toEqual({ ban: { user_id: USER } });
  expect(waits).toEqual([100_000]);
});

test('an outage of many minutes does not end the wait for the owner, nor that of a bulk job', async () => {
  verifies('client.approvals', 'client.pacing');
  const away = refusal(503, 'UPSTREAM_UNAVAILABLE', true);
  const outage = [...Array.from({ length: 15 }, () => away), dropConnection, html(502)];
  const one = await clientOf(PENDING, ...outage, approval('approved'), DONE);
  expect(await one.call('bans.add', BAN, { approval: {} })).toEqual({ ban: { user_id: USER } });
  expect(waits.slice(0, 7)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  await server?.close();
  waits = [];
  const many = await clientOf(PENDING, ...outage, approval('approved'), DONE);
  const job = many.each('bans.add', [BAN], { approval: {}, maxAttempts: 2 });
  expect((await job.next()).value).toMatchObject({ ok: true, body: { ban: { user_id: USER } } });
});

test.each([
  [20_000, refusal(503, 'UPSTREAM_UNAVAILABLE', true, { retryAfter: '1' }), 1_000],
  [30_000, refusal(429, 'RATE_LIMITED', true, { retryAfter: '12' }), 12_000],
  [45_000, refusal(503, 'UPSTREAM_UNAVAILABLE', true), 5_000],
  [30_000, refusal(503, 'UPSTREAM_UNAVAILABLE', true, { retryAfter: '0' }), 5_000],
  [30_000, dropConnection, 5_000],
  [30_000, html(502), 5_000],
])('one temporary error does not end a wait of %i ms for the owner', async (ms, away, pauseMs) => {
  verifies('client.approvals');
  const inAll = await clientOf(PENDING, away, approval('approved'), DONE);
  expect(await inAll.call('bans.add', BAN, { approval: {}, withinMs: ms })).toEqual({
    ban: { user_id: USER },
  });
  expect(waits).toEqual([pauseMs]);
  await server?.close();
  waits = [];
  const byHand = await clientOf(away, approval('approved'));
  expect(await byHand.whenApproved(ID, { waitMs: ms })).toMatchObject({ state: 'approved' });
  expect(waits).toEqual([pauseMs]);
});

test('an outage near the end of the wait for the owner ends it only with its time', async () => {
  verifies('client.approvals');
  const away = refusal(503, 'UPSTREAM_UNAVAILABLE', true);
  const early = approval('pending', { 'Retry-After': '40' });
  const over = await clientOf(early, away, away, away, approval('approved'));
  expect(await over.whenApproved(ID, { waitMs: 60_000 })).toMatchObject({ state: 'approved' });
  expect(waits).toEqual([40_000, 5_000, 5_000, 5_000]);
  await server?.close();
  waits = [];
  const lasting = await clientOf(early, away);
  expect((await failureOf(lasting.whenApproved(ID, { waitMs: 60_000 }))).code).toBe('UPSTREAM_UNAVAILABLE');
  expect(waits).toEqual([40_000, 5_000, 5_000, 5_000]);
});

test('a pause longer than the rest of the wait for the owner is not waited for', async () => {
  verifies('client.approvals');
  const client = await clientOf(refusal(429, 'RATE_LIMITED', true, { retryAfter: '60' }));
  const error = await failureOf(client.whenApproved(ID, { waitMs: 30_000 }));
  expect(error).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 60 });
  expect(waits).toEqual([]);
});

test('an outage that outlasts the wait for the owner ends it', async () => {
  verifies('client.approvals');
  const client = await clientOf(PENDING, refusal(503, 'UPSTREAM_UNAVAILABLE', true));
  const error = await failureOf(client.call('bans.add', BAN, { approval: { waitMs: 600_000 } }));
  expect(error).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', mayHaveHappened: false });
  expect([waited() > 500_000, waited() <= 600_000]).toEqual([true, true]);
});

test.each(['refused', 'withdrawn', 'lapsed'])(
  'an approval that is %s is an error, and nothing is sent again',
  async (state) => {
    verifies('client.approvals');
    const client = await clientOf(PENDING, approval(state));
    const error = await failureOf(client.call('bans.add', BAN, { approval: {} }));
    expect(error).toMatchObject({
      code: 'NOT_APPROVED',
      message: `The approval was not given: it is ${state}.`,
      details: { approval_id: ID, approval_state: state },
      retryable: false,
      mayHaveHappened: false,
    });
    expect(server?.received).toHaveLength(2);
  },
);

test('the wait for the owner goes on in a state that a newer instance has, and makes no haste', async () => {
  verifies('client.approvals');
  const newer = approval('put_to_a_vote', { 'Preference-Applied': 'wait=30', 'Retry-After': '5' });
  const client = await clientOf(PENDING, newer, newer, approval('approved'), DONE);
  expect(await client.call('bans.add', BAN, { approval: {} })).toEqual({ ban: { user_id: USER } });
  // Such an answer may come at once: what waits for a decision waits while it is pending.
  expect(waits).toEqual([5_000, 5_000]);
});

test('nobody decides: the wait ends with the time that was given', async () => {
  verifies('client.approvals');
  const client = await clientOf(PENDING, approval('pending', { 'Retry-After': '5' }));
  const error = await failureOf(client.call('bans.add', BAN, { approval: { waitMs: 12_000 } }));
  expect([error.code, error.message, error.details]).toEqual([
    'NOT_APPROVED',
    'The guild owner has not decided yet.',
    { approval_id: ID, approval_state: 'pending' },
  ]);
  expect(waits).toEqual([5_000, 5_000, 2_000]);
});

test('the wait for the owner ends with the time of the whole call', async () => {
  verifies('client.approvals');
  const client = await clientOf(PENDING, approval('pending', { 'Retry-After': '5' }));
  const error = await failureOf(client.call('bans.add', BAN, { approval: {}, withinMs: 12_000 }));
  expect([error.code, waits]).toEqual(['NOT_APPROVED', [5_000, 5_000, 2_000]]);
});

/** Waits for the decision as long as the request prefers, and answers then. */
const waitsFor =
  (state: string): Behaviour =>
  (response, received) => {
    const [, seconds] = /^wait=(\d+)$/.exec(String(received.headers.prefer)) ?? [];
    if (seconds !== undefined) waits.push(Number(seconds) * 1_000);
    const headers = seconds === undefined ? {} : { 'Preference-Applied': `wait=${seconds}` };
    approval(state, { 'Retry-After': '5', ...headers })(response, received);
  };
const waited = () => waits.reduce((sum, ms) => sum + ms, 0);

test.each([20_000, 50_000, 100_500])(
  'the wait for the owner ends within the %i ms of the whole call, also where answers wait for the decision',
  async (withinMs) => {
    verifies('client.approvals');
    const client = await clientOf(PENDING, waitsFor('pending'));
    const limits = vi.spyOn(AbortSignal, 'timeout');
    const error = await failureOf(client.call('bans.add', BAN, { approval: {}, withinMs }));
    expect([error.code, waited()]).toEqual(['NOT_APPROVED', withinMs]);
    // Each look ends in time as well, also where it gets no answer.
    expect(Math.max(...limits.mock.calls.map(([ms]) => ms))).toBeLessThanOrEqual(withinMs);
  },
);

test.each(['approved', 'pending'])(
  'a wait of no time looks once, and finds the approval %s',
  async (state) => {
    verifies('client.approvals');
    const client = await clientOf(approval(state));
    const limits = vi.spyOn(AbortSignal, 'timeout');
    const work = client.whenApproved(ID, { waitMs: 0 });
    if (state === 'approved') expect(await work).toMatchObject({ id: ID, state });
    else
      expect(await failureOf(work)).toMatchObject({
        code: 'NOT_APPROVED',
        details: { approval_state: state },
      });
    expect(limits.mock.calls).toEqual([[15_000]]);
    expect(server?.received.map(({ headers }) => headers.prefer)).toEqual([undefined]);
    expect(waits).toEqual([]);
  },
);

test('a call that waits no time for the owner looks once, within the time of the whole call', async () => {
  verifies('client.approvals');
  const client = await clientOf(PENDING, approval('approved'), DONE);
  const limits = vi.spyOn(AbortSignal, 'timeout');
  const options = { approval: { waitMs: 0 }, withinMs: 9_000 };
  expect(await client.call('bans.add', BAN, options)).toEqual({ ban: { user_id: USER } });
  expect(limits.mock.calls).toEqual([[9_000], [9_000], [9_000]]);
});

test('a call that is told to ask the owner when no time is left does not look', async () => {
  verifies('client.approvals');
  const late: Behaviour = (...args) => {
    waits.push(20_000);
    PENDING(...args);
  };
  const client = await clientOf(late, approval('approved'), DONE);
  const asked: unknown[] = [];
  const error = await failureOf(
    client.call('bans.add', BAN, { approval: { onAsked: (each) => asked.push(each) }, withinMs: 20_000 }),
  );
  expect(error).toMatchObject({ code: 'RE_AUTH_REQUIRED', mayHaveHappened: false });
  expect([asked.length, server?.received.length]).toEqual([1, 1]);
});

test('nobody has decided when the last look is cut short by the end of the wait', async () => {
  verifies('client.approvals');
  const early = approval('pending', { 'Retry-After': '10' });
  const byHand = await clientOf(early, neverEnd);
  const error = await failureOf(byHand.whenApproved(ID, { waitMs: 10_020 }));
  expect(error).toMatchObject({
    code: 'NOT_APPROVED',
    details: { approval_id: ID, approval_state: 'pending' },
  });
  await server?.close();
  waits = [];
  const first: Behaviour = (...args) => {
    waits.push(9_980);
    PENDING(...args);
  };
  const inAll = await clientOf(first, neverEnd);
  const late = await failureOf(inAll.call('bans.add', BAN, { approval: {}, withinMs: 10_000 }));
  expect(late).toMatchObject({
    code: 'NOT_APPROVED',
    details: { approval_id: ID, approval_state: 'pending' },
    mayHaveHappened: false,
  });
});

test('a wait in which Bailiff never answered does not say that nobody has decided', async () => {
  verifies('client.approvals');
  const client = await clientOf(dropConnection);
  expect((await failureOf(client.whenApproved(ID, { waitMs: 0 }))).code).toBe('NO_ANSWER');
  await server?.close();
  const away = refusal(503, 'UPSTREAM_UNAVAILABLE', true);
  const early = approval('pending', { 'Retry-After': '10' });
  const outage = await clientOf(early, away, neverEnd);
  const error = await failureOf(outage.whenApproved(ID, { waitMs: 15_020 }));
  expect(error.code).toBe('UPSTREAM_UNAVAILABLE');
});

test('what is approved when no time is left is not sent any more', async () => {
  verifies('client.approvals');
  const late: Behaviour = (...args) => {
    waits.push(20_000);
    approval('approved')(...args);
  };
  const client = await clientOf(PENDING, late, DONE);
  const error = await failureOf(client.call('bans.add', BAN, { approval: {}, withinMs: 20_000 }));
  expect(error).toMatchObject({ code: 'RE_AUTH_REQUIRED', mayHaveHappened: false });
  expect(server?.received.map(({ method }) => method)).toEqual(['POST', 'GET']);
});

test.each([
  ['an hour where no time was given', {}, { 'Retry-After': '1800' }, [1_800_000, 1_800_000]],
  [
    'as long as was said, five seconds from look to look where the answer names none',
    { waitMs: 12_000 },
    {},
    [5_000, 5_000, 2_000],
  ],
] as const)('the wait for the owner lasts %s', async (_what, approvalOptions, headers, expected) => {
  verifies('client.approvals');
  const client = await clientOf(PENDING, approval('pending', headers));
  const error = await failureOf(client.call('bans.add', BAN, { approval: approvalOptions }));
  expect(error.code).toBe('NOT_APPROVED');
  expect(waits).toEqual(expected);
});

test.each([{ approval_state: 'refused', approval_id: ID }, { approval_state: 'muted' }])(
  'where nobody is asked (%j), nothing waits',
  async (details) => {
    verifies('client.approvals');
    const client = await clientOf(asks(details));
    const error = await failureOf(client.call('bans.add', BAN, { approval: {} }));
    expect(error.code).toBe('RE_AUTH_REQUIRED');
    expect(await failureOf(client.whenApproved(error))).toBe(error);
    expect(server?.received).toHaveLength(1);
  },
);

test('whenApproved follows the request of an error, and ends with its signal', async () => {
  verifies('client.approvals');
  const client = await clientOf(PENDING, approval('used'));
  const error = await failureOf(client.call('bans.add', BAN));
  expect(await client.whenApproved(error)).toMatchObject({ state: 'used' });
  const signal = AbortSignal.abort(new Error('Enough.'));
  await expect(client.whenApproved(ID, { signal })).rejects.toThrow('Enough.');
});

test('a token that is revoked while the client waits ends the wait', async () => {
  verifies('client.approvals');
  const client = await clientOf(PENDING, refusal(401, 'TOKEN_REVOKED', false));
  expect((await failureOf(client.call('bans.add', BAN, { approval: {} }))).code).toBe('TOKEN_REVOKED');
});

const budgets = (token: number, user: number) => ({
  RateLimit: `"token";r=${token};t=60;tier="destructive_write", "user";r=${user};t=60;tier="destructive_write"`,
  'RateLimit-Policy': '"token";q=6;w=360;tier="destructive_write", "user";q=6;w=360;tier="destructive_write"',
});

test('a bulk job waits where a budget is empty, and goes on after what is wrong with one input', async () => {
  verifies('client.pacing');
  const ok = (headers: Record<string, string>) => json(200, { ban: {} }, headers);
  const client = await clientOf(
    ok(budgets(1, 1)),
    ok(budgets(3, 0)),
    refusal(404, 'NOT_FOUND', false),
    refusal(429, 'RATE_LIMITED', true, { retryAfter: '120' }),
    ok(budgets(0, 0)),
  );
  const inputs = [1, 2, 3, 4].map((n) => ({ userId: `30000000000000000${n}`, _confirmation: '' }));
  const results = [];
  for await (const { input, ok } of client.each('bans.lift', inputs, {
    keyOf: ({ userId }) => `amnesty-${userId}`,
  })) {
    results.push([input.userId.at(-1), ok]);
  }
  expect(results).toEqual([
    ['1', true],
    ['2', true],
    ['3', false],
    ['4', true],
  ]);
  expect(waits).toEqual([60_000, 120_000]);
  const keys = server?.received.map(({ headers }) => headers['idempotency-key']?.slice(-1));
  expect(keys).toEqual(['1', '2', '3', '4', '4']);
});

test.each([
  [404, 'NOT_FOUND'],
  [403, 'FORBIDDEN'],
  [422, 'VALIDATION_FAILED'],
  [409, 'ALREADY_CLAIMED'],
])('a bulk job goes on where one input alone is concerned: %i %s', async (status, code) => {
  verifies('client.pacing');
  const client = await clientOf(refusal(status, code, false), json(200, { ban: {} }));
  const results = [];
  for await (const { ok } of client.each('bans.lift', [
    { userId: USER, _confirmation: '' },
    { userId: USER, _confirmation: '' },
  ])) {
    results.push(ok);
  }
  expect(results).toEqual([false, true]);
});

test('a bulk job goes on behind an input of which nobody knows yet whether it happened, and names its action', async () => {
  verifies('client.pacing');
  const details = { upstream: 'discord', outcome: 'unknown', action_id: 'act_00000000000000000000000000' };
  const unknown = json(502, {
    error: { code: 'UPSTREAM_UNAVAILABLE', message: '', retryable: true, request_id: 'r', details },
  });
  const client = await clientOf(unknown, json(200, { ban: {} }));
  const inputs = [1, 2].map(() => ({ userId: USER, _confirmation: '' }));
  const results = [];
  for await (const result of client.each('bans.lift', inputs)) results.push(result);
  expect(results).toMatchObject([{ ok: false, error: { details, mayHaveHappened: true } }, { ok: true }]);
});

test.each([
  [401, 'TOKEN_EXPIRED'],
  [401, 'TOKEN_REVOKED'],
  [403, 'CAPABILITY_DENIED'],
  [403, 'TOKEN_IP_NOT_ALLOWED'],
])('a bulk job ends where more than one input is concerned: %i %s', async (status, code) => {
  verifies('client.pacing');
  const client = await clientOf(refusal(status, code, false));
  const job = client.each('bans.lift', [{ userId: USER, _confirmation: '' }]);
  expect((await failureOf(job.next())).code).toBe(code);
  expect(server?.received).toHaveLength(1);
});

test('a bulk job keeps to the bounds that it is given', async () => {
  verifies('client.pacing');
  const client = await clientOf(refusal(503, 'UPSTREAM_UNAVAILABLE', true));
  const job = client.each('bans.lift', [{ userId: USER, _confirmation: '' }], { maxAttempts: 2 });
  expect((await failureOf(job.next())).code).toBe('UPSTREAM_UNAVAILABLE');
  expect(server?.received).toHaveLength(2);
});

test('a bulk job ends with its signal, also while it waits for a budget', async () => {
  verifies('client.pacing');
  server = await startHostileServer(json(200, { ban: {} }, budgets(3, 0)));
  const waiting = Promise.withResolvers<void>();
  const client = new BailiffClient({
    url: server.url,
    token: 'svcpat_x',
    guildId: GUILD,
    environment: {
      sleep: (_ms, signal) => {
        waiting.resolve();
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
    },
  });
  const enough = new AbortController();
  const input = { userId: USER, _confirmation: '' };
  const job = client.each('bans.lift', [input, input], { signal: enough.signal });
  expect((await job.next()).value).toMatchObject({ ok: true });
  const next = job.next();
  await waiting.promise;
  enough.abort(new Error('enough'));
  await expect(next).rejects.toThrow('enough');
  expect(server.received).toHaveLength(1);
});

test('answers without budgets need no pause', () => {
  verifies('client.pacing');
  for (const headers of [
    {},
    { RateLimit: '"token";r=0;t=60' },
    { RateLimit: 'nonsense', 'RateLimit-Policy': ';;,' },
  ]) {
    expect(pauseMs(new Headers(headers))).toBe(0);
  }
});
