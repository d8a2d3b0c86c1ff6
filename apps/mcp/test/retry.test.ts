import { SECRET_BYTES, secretFromBytes } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { adviceOn } from '#src/advice.ts';
import { callTool } from '#src/call-tool.ts';
import { readResource } from '#src/resources.ts';
import { Session } from '#src/session.ts';
import { Store } from '#src/store.ts';
import { FarEnd, GUILD, ME, refusal, SECRET, sessionOf, USER } from './support.ts';

const never = new AbortController().signal;
const far = new FarEnd();
/** How many milliseconds each wait took. Nothing else moves the clock. */
let waits: number[];

beforeAll(() => far.start());
afterAll(() => far.close());
beforeEach(() => {
  far.reset();
  waits = [];
});

/** A session whose waits take no time. */
const session = (random = 0) =>
  sessionOf(far, {
    now: () => waits.reduce((sum, ms) => sum + ms, 0),
    random: () => random,
    sleep: async (ms) => void waits.push(ms),
  });

/** Lists bans, with a given part of the random variation. */
function listBans(random = 0) {
  return session(random).send({ operation: 'bans.list', guildId: GUILD, input: { limit: 1 } }, never);
}

const failed = (retryAfterSeconds?: number) => ({
  ...refusal(503, 'UPSTREAM_UNAVAILABLE', true, { upstream: 'bot', outcome: 'not_performed' }),
  headers: retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) },
});

test('waits are 1 s and doubling, with a fifth on top by chance at most; a client waits a minute at most', async () => {
  verifies('mcp.retry.backoff');
  far.answer = () => failed();
  await listBans();
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000]);
  waits = [];
  await listBans(1);
  expect(waits).toEqual([1_200, 2_400, 4_800, 9_600, 19_200]);
});

test('Retry-After is waited for exactly, and the last answer is given', async () => {
  verifies('mcp.retry.retryable');
  far.answer = () => failed(far.calls.length);
  expect(await listBans(1)).toMatchObject({
    ok: false,
    envelope: { error: { code: 'UPSTREAM_UNAVAILABLE', retryable: true, request_id: 'req_1' } },
  });
  // Another attempt after 45 s could not end within the minute.
  expect(waits).toEqual([1_000, 2_000, 3_000, 4_000, 5_000, 6_000, 7_000, 8_000]);
});

test('a success ends it', async () => {
  const body = { data: [], next_cursor: null };
  far.answer = () => (far.calls.length < 2 ? failed() : { body });
  expect(await listBans()).toEqual({ ok: true, body });
  expect(waits).toEqual([1_000]);
});

test.each([
  ['an error', refusal(500, 'INTERNAL_ERROR', false), [refusal(500, 'INTERNAL_ERROR', false)]],
  ['a refusal after an attempt without an answer', refusal(429, 'RATE_LIMITED', false), [undefined]],
  ['a revoked token after an attempt without an answer', refusal(401, 'TOKEN_REVOKED', false), [undefined]],
])(
  '%s that says nothing about the outcome of a write does not look as if nothing had happened',
  async (_what, last, before) => {
    far.answer = () => (far.calls.length <= before.length ? before[far.calls.length - 1] : last);
    const input = { user_id: USER, reason: 'spam' };
    const reply = await session().send({ operation: 'bans.add', guildId: GUILD, input }, never);
    expect(reply).toMatchObject({
      ok: false,
      envelope: { error: { code: last.body.error.code, retryable: false, details: { outcome: 'unknown' } } },
    });
    expect(reply.ok || adviceOn(reply.envelope)).toContain('It may have happened.');
  },
);

test('a write is repeated under its key; what is said of the last attempt is not told of the first one', async () => {
  verifies('mcp.retry.retryable');
  // The checks that refuse it come before its key is looked up: an earlier attempt may have been carried out.
  far.answer = () => (far.calls.length === 1 ? undefined : failed());
  const input = { user_id: USER, reason: 'spam', severity: 'minor' } as const;
  const reply = await session().send({ operation: 'strikes.add', guildId: GUILD, input }, never);
  expect(reply).toMatchObject({
    ok: false,
    envelope: {
      error: {
        message: 'An earlier attempt may have succeeded. The last one: It is UPSTREAM_UNAVAILABLE.',
        retryable: false,
        details: { upstream: 'bot', outcome: 'unknown' },
      },
    },
  });
  expect(reply.ok || adviceOn(reply.envelope)).toContain('It may have happened. Do not call this tool again');
  expect(far.calls.length).toBeGreaterThan(2);
  expect(new Set(far.calls.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
});

test('a write that needs the owner is shown to the operator, also after an attempt without an answer', async () => {
  verifies('mcp.retry.retryable');
  const reauth_url = 'https://bailiff.test/a';
  const asked = { reauth_url, approval_state: 'pending', approval_id: `apr_${'0'.repeat(32)}` };
  // The instance looks the key up before the window: it knows of no earlier attempt.
  far.answer = () => (far.calls.length === 1 ? undefined : refusal(403, 'RE_AUTH_REQUIRED', false, asked));
  const input = { user_id: USER, reason: 'spam' };
  const reply = await session().send({ operation: 'bans.add', guildId: GUILD, input }, never);
  expect(reply).toMatchObject({ ok: false, envelope: { error: { details: asked } } });
  expect(reply.ok || adviceOn(reply.envelope)).toContain(
    `STOP. Show this address to the operator: ${reauth_url}`,
  );
  expect(new Set(far.calls.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
});

test('a write whose outcome is unknown, and names no action, is repeated until its stored answer comes', async () => {
  verifies('mcp.retry.retryable');
  const details = { upstream: 'database', outcome: 'unknown' };
  const answers = [
    refusal(502, 'UPSTREAM_UNAVAILABLE', true, details),
    failed(),
    { ...refusal(429, 'RATE_LIMITED', true), headers: { 'Retry-After': '1' } },
    { status: 201, headers: { 'Idempotent-Replayed': 'true' }, body: { ban: { user_id: USER } } },
  ];
  far.answer = () => answers[far.calls.length - 1];
  const input = { user_id: USER, reason: 'spam' };
  const reply = await session().send({ operation: 'bans.add', guildId: GUILD, input }, never);
  expect(reply).toEqual({ ok: true, body: { ban: { user_id: USER } } });
  expect(far.calls).toHaveLength(4);
  expect(new Set(far.calls.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
});

test('what Bailiff says of the outcome of a write is told as it is where every attempt was answered', async () => {
  far.answer = () => failed(60);
  const input = { user_id: USER, reason: 'spam' };
  const reply = await session().send({ operation: 'bans.add', guildId: GUILD, input }, never);
  expect(reply).toEqual({ ok: false, envelope: failed().body });
});

test.each([
  ['has no answer at any attempt', undefined],
  [
    'has an outcome that Bailiff does not know',
    refusal(502, 'UPSTREAM_UNAVAILABLE', true, { upstream: 'database', outcome: 'unknown' }),
  ],
])('a write that %s is not to be called again: that would be another write', async (_what, answer) => {
  far.answer = () => answer;
  const input = { user_id: USER, reason: 'spam' };
  const reply = await session().send({ operation: 'bans.add', guildId: GUILD, input }, never);
  expect(reply).toMatchObject({
    ok: false,
    envelope: { error: { code: 'UPSTREAM_UNAVAILABLE', retryable: false, details: { outcome: 'unknown' } } },
  });
  expect(far.calls.length).toBeGreaterThan(2);
});

test('an answer that waits for the owner comes before the attempt is given up', async () => {
  const limits = vi.spyOn(AbortSignal, 'timeout');
  const input = { approvalId: `apr_${'0'.repeat(32)}` };
  await session().send({ operation: 'approvals.get', guildId: GUILD, input }, never);
  const [[ms] = []] = limits.mock.calls;
  limits.mockRestore();
  const [, seconds] = /^wait=(\d+)$/.exec(String(far.calls[0]?.headers.prefer)) ?? [];
  expect(Number(seconds)).toBeGreaterThan(0);
  expect(ms).toBeGreaterThan(Number(seconds) * 1_000);
});

test('a token that works no longer comes with the way to another one, and no other refusal does', async () => {
  const messageAfter = async (code: string) => {
    far.answer = () => refusal(401, code, false);
    const reply = await listBans();
    return reply.ok ? '' : reply.envelope.error.message;
  };
  for (const code of ['UNAUTHORIZED', 'TOKEN_EXPIRED', 'TOKEN_REVOKED'])
    expect(await messageAfter(code), code).toContain(`BAILIFF_TOKEN: set that to a token of ${far.url}.`);
  expect(await messageAfter('TOKEN_IP_NOT_ALLOWED')).toBe('It is TOKEN_IP_NOT_ALLOWED.');
});

test('the guild of a token is asked for once', async () => {
  const one = session();
  await one.guildId(never);
  await one.guildId(never);
  expect(await one.guildId(never)).toEqual({ ok: true, guildId: GUILD });
  expect(far.received.map(({ path }) => path)).toEqual(['/me']);
});

test('a token that takes the place of another one is for its own guild', async () => {
  const env = { BAILIFF_URL: far.url, BAILIFF_TOKEN: SECRET };
  const one = new Session(env, new Store('/nowhere'));
  expect(await one.guildId(never)).toEqual({ ok: true, guildId: GUILD });
  const elsewhere = '200000000000000009';
  env.BAILIFF_TOKEN = secretFromBytes(new Uint8Array(SECRET_BYTES).fill(7));
  far.me = () => ({ body: { ...ME, guild: { ...ME.guild, id: elsewhere } } });
  expect(await one.guildId(never)).toEqual({ ok: true, guildId: elsewhere });
});

test('a write that may have happened is not to be repeated, also where its last refusal would pass', async () => {
  const refused = { ...refusal(429, 'RATE_LIMITED', true), headers: { 'Retry-After': '3600' } };
  far.answer = () => (far.calls.length === 1 ? undefined : refused);
  const input = { user_id: USER, reason: 'spam' };
  const reply = await session().send({ operation: 'bans.add', guildId: GUILD, input }, never);
  expect(reply).toMatchObject({
    ok: false,
    envelope: { error: { code: 'RATE_LIMITED', retryable: false, details: { outcome: 'unknown' } } },
  });
});

test('a read that is refused after an attempt without an answer is refused, and no more', async () => {
  far.answer = () => (far.calls.length === 1 ? undefined : refusal(401, 'TOKEN_REVOKED', false));
  const reply = await listBans();
  expect(reply).toMatchObject({ ok: false, envelope: { error: { code: 'TOKEN_REVOKED' } } });
  expect(reply.ok || reply.envelope.error.details).toEqual({});
});

/** A purge that goes on. */
const PURGE = { channel_id: USER, count: 1_000 };
const ACTION_ID = `act_${'0'.repeat(32)}`;
const going = (status: number) => {
  const more = { state: 'running', outcome: null, result: null, progress: null };
  return { status, body: { action: { id: ACTION_ID, operation: 'messages.purge', ...more } } };
};
const waited = () => waits.reduce((sum, ms) => sum + ms, 0);

test('a write that goes on for longer than a tool waits may have happened, and is named', async () => {
  verifies('purge.long');
  far.answer = ({ method }) => going(method === 'POST' ? 202 : 200);
  const reply = await session().send({ operation: 'messages.purge', guildId: GUILD, input: PURGE }, never);
  expect(reply).toMatchObject({
    ok: false,
    envelope: {
      error: {
        code: 'UPSTREAM_UNAVAILABLE',
        message: expect.stringContaining(ACTION_ID),
        retryable: false,
        details: { upstream: 'discord', outcome: 'unknown', action_id: ACTION_ID },
      },
    },
  });
  expect(reply.ok || adviceOn(reply.envelope)).toContain('It may have happened.');
  expect([waited() > 40_000, waited() <= 54_000]).toEqual([true, true]);
});

test.each([
  ['goes on', going(200)],
  ['cannot be asked about', failed()],
])('clients give up on a tool after a minute: a late purge that %s is named before', async (_what, look) => {
  verifies('purge.long');
  const limited = { ...refusal(429, 'RATE_LIMITED', true), headers: { 'Retry-After': '38' } };
  far.answer = ({ method }) => (method === 'GET' ? look : far.calls.length === 1 ? limited : going(202));
  const reply = await session().send({ operation: 'messages.purge', guildId: GUILD, input: PURGE }, never);
  expect(reply).toMatchObject({
    envelope: { error: { retryable: false, details: { outcome: 'unknown', action_id: ACTION_ID } } },
  });
  expect(waited()).toBeLessThanOrEqual(54_000);
});

test('the time that a tool has is one for all: for its guild, for a refusal that passes, and for what goes on', async () => {
  verifies('purge.long');
  const limited = { ...refusal(429, 'RATE_LIMITED', true), headers: { 'Retry-After': '20' } };
  far.me = () => (far.received.length < 5 ? failed() : { body: ME });
  far.answer = ({ method }) =>
    method === 'GET' ? going(200) : far.calls.length === 1 ? limited : going(202);
  const offer = { readOnly: false, tools: null };
  const outcome = await callTool(session(), offer, 'purge_messages', PURGE, never);
  expect(outcome).toMatchObject({
    envelope: { error: { details: { outcome: 'unknown', action_id: ACTION_ID } } },
  });
  expect(waits.slice(0, 7)).toEqual([1_000, 2_000, 4_000, 8_000, 20_000, 1_000, 2_000]);
  expect(waited()).toBeLessThanOrEqual(54_000);
});

test('so has a resource: the guild and its rules are asked for within one minute', async () => {
  far.me = () => (far.received.length < 2 ? failed(20) : { body: ME });
  far.answer = () => failed();
  const { contents } = await readResource(session(), 'bailiff://rules', never);
  expect(JSON.stringify(contents)).toContain('UPSTREAM_UNAVAILABLE');
  expect(waits).toEqual([20_000, 1_000, 2_000, 4_000, 8_000]);
});
