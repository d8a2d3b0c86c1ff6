import { getEventListeners } from 'node:events';
import { freePort, verifies } from '@bailiff/core/testing';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { SYSTEM } from '#src/environment.ts';
import { BailiffClient, BailiffError, type ClientOptions } from '#src/index.ts';
import {
  type Behaviour,
  dropConnection,
  endless,
  type HostileServer,
  html,
  json,
  neverEnd,
  redirectTo,
  refusal,
  startHostileServer,
} from './hostile-server.ts';

const TOKEN = `svcpat_${'A'.repeat(48)}`;
const GUILD = '200000000000000001';
const USER = '300000000000000001';
const BAN = {
  user_id: USER,
  reason: 'Spam',
  _confirmation: `BAN USER ${USER} IN GUILD ${GUILD} PERMANENT`,
};
const APPROVAL = `apr_${'1'.repeat(32)}`;
const EMPTY = json(200, { data: [], next_cursor: null });
const DONE = json(201, { ban: { user_id: USER } });

let servers: HostileServer[];
/** How many milliseconds the client has waited between attempts. Nothing else moves its clock. */
let waits: number[];

beforeEach(() => {
  servers = [];
  waits = [];
});
afterEach(async () => {
  for (const server of servers) await server.close();
});

async function serve(...behaviours: Behaviour[]): Promise<HostileServer> {
  const server = await startHostileServer(...behaviours);
  servers.push(server);
  return server;
}

function clientOf(url: string, options: Partial<ClientOptions> = {}): BailiffClient {
  return new BailiffClient({
    url,
    token: TOKEN,
    guildId: GUILD,
    environment: {
      now: () => waits.reduce((sum, ms) => sum + ms, 0),
      random: () => 0,
      sleep: async (ms) => void waits.push(ms),
    },
    ...options,
  });
}

async function failureOf(call: Promise<unknown>): Promise<BailiffError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof BailiffError) return error;
  throw new Error('The call did not fail with a BailiffError.', { cause: error });
}

const keysOf = ({ received }: HostileServer) => received.map(({ headers }) => headers['idempotency-key']);

describe('a retryable answer', () => {
  test('is followed by another attempt after Retry-After, with the same key and body', async () => {
    const limited = refusal(429, 'RATE_LIMITED', true, { retryAfter: '7' });
    const server = await serve(limited, limited, DONE);
    expect(await clientOf(server.url).call('bans.add', BAN)).toEqual({ ban: { user_id: USER } });
    expect(waits).toEqual([7_000, 7_000]);
    const [key] = keysOf(server);
    expect(key).toMatch(/^[\x21-\x7e]{1,255}$/);
    expect(keysOf(server)).toEqual([key, key, key]);
    expect(new Set(server.received.map(({ body }) => body)).size).toBe(1);
  });

  test('without Retry-After is followed by attempts after 1 s, 2 s, 4 s and 8 s, then thrown', async () => {
    const server = await serve(refusal(500, 'INTERNAL_ERROR', true));
    const error = await failureOf(clientOf(server.url).call('bans.add', BAN));
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000]);
    expect(server.received).toHaveLength(5);
    expect(error).toMatchObject({
      code: 'INTERNAL_ERROR',
      status: 500,
      requestId: 'req_1',
      retryable: true,
      mayHaveHappened: true,
    });
  });

  test('of a proxy whose Retry-After is a date is followed by attempts as without one', async () => {
    const limited = refusal(503, 'UPSTREAM_UNAVAILABLE', true, {
      retryAfter: 'Sun, 22 Nov 2026 12:00:00 GMT',
    });
    await clientOf((await serve(limited, DONE)).url).call('bans.add', BAN);
    expect(waits).toEqual([1_000]);
  });

  test('of a proxy whose Retry-After is 0 is followed by attempts as without one', async () => {
    const away = refusal(503, 'UPSTREAM_UNAVAILABLE', true, { retryAfter: '0' });
    await clientOf((await serve(away, away, away, DONE)).url).call('bans.add', BAN);
    expect(waits).toEqual([1_000, 2_000, 4_000]);
  });

  test('that asks for a wait beyond the deadline is thrown at once', async () => {
    const server = await serve(refusal(429, 'RATE_LIMITED', true, { retryAfter: '61' }));
    const error = await failureOf(clientOf(server.url).call('bans.list'));
    expect([error.code, error.retryAfterSeconds, waits]).toEqual(['RATE_LIMITED', 61, []]);
    expect(server.received).toHaveLength(1);
  });

  test('is followed by no attempt that could not end before the deadline', async () => {
    const after = async (retryAfter: string) => {
      waits = [];
      const server = await serve(refusal(503, 'UPSTREAM_UNAVAILABLE', true, { retryAfter }));
      await failureOf(clientOf(server.url, { maxAttempts: 100 }).call('bans.list'));
      return waits;
    };
    // An attempt may take 15 s, and all together 60 s.
    expect(await after('15')).toEqual([15_000, 15_000, 15_000]);
    expect(await after('16')).toEqual([16_000, 16_000]);
    expect(await after('46')).toEqual([]);
  });

  test('whose action may have happened is thrown: the stored answer would be the same', async () => {
    const details = { upstream: 'discord', outcome: 'unknown', action_id: 'act_1' };
    const server = await serve(refusal(502, 'UPSTREAM_UNAVAILABLE', true, { details }));
    const error = await failureOf(clientOf(server.url).call('bans.add', BAN));
    expect(error).toMatchObject({ details, retryable: false, mayHaveHappened: true });
    expect(server.received).toHaveLength(1);
  });

  test('whose outcome is unknown, and names no action, is followed by attempts that get the stored answer', async () => {
    const details = { upstream: 'database', outcome: 'unknown' };
    const lost = refusal(502, 'UPSTREAM_UNAVAILABLE', true, { details });
    const running = refusal(429, 'RATE_LIMITED', true, { retryAfter: '1' });
    const stored = json(201, { ban: { user_id: USER } }, { 'Idempotent-Replayed': 'true' });
    const server = await serve(lost, lost, running, stored);
    const answer = await clientOf(server.url).send('bans.add', BAN);
    expect(answer).toMatchObject({ status: 201, isReplay: true, body: { ban: { user_id: USER } } });
    expect(new Set(keysOf(server)).size).toBe(1);
    expect(server.received).toHaveLength(4);
  });

  test('whose outcome stays unknown is thrown as what may have happened', async () => {
    const details = { upstream: 'database', outcome: 'unknown' };
    const lost = refusal(502, 'UPSTREAM_UNAVAILABLE', true, { details });
    const away = refusal(503, 'UPSTREAM_UNAVAILABLE', true, { details: { outcome: 'not_performed' } });
    const server = await serve(lost, away);
    const error = await failureOf(clientOf(server.url).call('bans.add', BAN));
    expect(error).toMatchObject({ status: 503, retryable: true, mayHaveHappened: true });
    expect(server.received).toHaveLength(5);
  });
});

test.each(['RE_AUTH_REQUIRED', 'INVALID_CONFIRMATION'])(
  '%s, which comes after the key was looked up, says that no earlier attempt was carried out',
  async (code) => {
    const server = await serve(dropConnection, refusal(403, code, false));
    const error = await failureOf(clientOf(server.url).call('bans.add', BAN));
    expect([error.code, error.mayHaveHappened]).toEqual([code, false]);
    expect(new Set(keysOf(server)).size).toBe(1);
    const limited = await serve(dropConnection, refusal(429, 'RATE_LIMITED', false));
    expect((await failureOf(clientOf(limited.url).call('bans.add', BAN))).mayHaveHappened).toBe(true);
  },
);

describe('a stored answer after one that was lost', () => {
  const replayed = { 'Idempotent-Replayed': 'true' };
  const error = (code: string, details?: object) => ({
    error: {
      code,
      message: `It is ${code}.`,
      retryable: code === 'RATE_LIMITED',
      request_id: 'req_1',
      details,
    },
  });

  test('says of an error that the call was not carried out', async () => {
    const server = await serve(
      dropConnection,
      json(403, error('FORBIDDEN', { reason: 'ROLE_HIERARCHY' }), replayed),
    );
    const failure = await failureOf(clientOf(server.url).call('bans.add', BAN));
    expect([failure.code, failure.mayHaveHappened]).toEqual(['FORBIDDEN', false]);
  });

  test.each([
    ['is the same error, not stored', json(403, error('FORBIDDEN'))],
    ['says that nobody knows', json(502, error('UPSTREAM_UNAVAILABLE', { outcome: 'unknown' }), replayed)],
    [
      'says that the first call still runs, as an older instance does',
      json(429, error('RATE_LIMITED'), replayed),
    ],
  ])('leaves a write in doubt that %s', async (_what, stored) => {
    const server = await serve(dropConnection, stored);
    expect((await failureOf(clientOf(server.url).call('bans.add', BAN))).mayHaveHappened).toBe(true);
  });
});

test('a call whose key is that of one that still runs, as of a program before its restart, may be carried out', async () => {
  const details = { scope: 'idempotency_key', retry_after_seconds: 1 };
  const server = await serve(refusal(429, 'RATE_LIMITED', true, { retryAfter: '1', details }));
  const error = await failureOf(clientOf(server.url).call('bans.add', BAN, { idempotencyKey: 'raid-1' }));
  expect(error).toMatchObject({ code: 'RATE_LIMITED', details, retryable: true, mayHaveHappened: true });
});

test('an answer with an outcome that a newer instance has leaves a write in doubt', async () => {
  const details = { upstream: 'discord', outcome: 'in_part' };
  const server = await serve(refusal(502, 'UPSTREAM_UNAVAILABLE', false, { details }));
  const error = await failureOf(clientOf(server.url).call('bans.add', BAN));
  expect(error).toMatchObject({ details, mayHaveHappened: true });
});

test('an answer that is not retryable is thrown at once, with its details', async () => {
  const details = { expected_format: 'BAN …', expected_concrete: BAN._confirmation };
  const server = await serve(refusal(422, 'INVALID_CONFIRMATION', false, { details, retryAfter: '1' }));
  const error = await failureOf(clientOf(server.url).call('bans.add', { ...BAN, _confirmation: 'yes' }));
  expect(error.is('INVALID_CONFIRMATION') && error.details?.expected_concrete).toBe(BAN._confirmation);
  expect(error).toMatchObject({ status: 422, requestId: 'req_1', retryable: false, mayHaveHappened: false });
  const { code, message } = error;
  expect(error.envelope).toEqual({
    error: { code, message, retryable: false, request_id: 'req_1', details },
  });
  expect(error.message).toBe('It is INVALID_CONFIRMATION.');
  expect(server.received).toHaveLength(1);
});

describe('a connection that drops', () => {
  test('is tried again: a write with its key, a read without one', async () => {
    const server = await serve(dropConnection, DONE, dropConnection, EMPTY);
    const client = clientOf(server.url);
    await client.call('bans.add', BAN);
    await client.call('bans.list');
    const [key] = keysOf(server);
    expect(key).toBeDefined();
    expect(keysOf(server)).toEqual([key, key, undefined, undefined]);
  });

  test('at every attempt leaves a write in doubt, and a read not', async () => {
    const server = await serve(dropConnection);
    const client = clientOf(server.url, { maxAttempts: 2 });
    expect(await failureOf(client.call('bans.add', BAN))).toMatchObject({
      code: 'NO_ANSWER',
      status: undefined,
      mayHaveHappened: true,
    });
    expect(await failureOf(client.call('bans.list'))).toMatchObject({ mayHaveHappened: false });
  });

  test('at the first attempt leaves a write in doubt that a later one refuses', async () => {
    const server = await serve(dropConnection, refusal(401, 'TOKEN_REVOKED', false));
    const error = await failureOf(clientOf(server.url).call('bans.add', BAN));
    expect(error).toMatchObject({ code: 'TOKEN_REVOKED', mayHaveHappened: true });
  });
});

test('a connection that is refused was never made, and nothing happened', async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const error = await failureOf(clientOf(url).call('bans.add', BAN));
  expect(error).toMatchObject({ code: 'NO_ANSWER', retryable: true, mayHaveHappened: false });
  expect(error.message).toContain('ECONNREFUSED');
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000]);
});

test.each([
  ['ENOTFOUND', false],
  ['EAI_AGAIN', false],
  ['EHOSTUNREACH', false],
  ['ENETUNREACH', false],
  ['UND_ERR_CONNECT_TIMEOUT', false],
  ['ECONNRESET', true],
  ['UND_ERR_SOCKET', true],
])('whether a write may have happened follows from the failure %s: %s', async (code, mayHaveHappened) => {
  const environment = {
    fetch: () => Promise.reject(new TypeError('fetch failed', { cause: { code } })),
    sleep: async () => {},
  };
  const call = clientOf('https://bailiff.test', { environment }).call('bans.add', BAN);
  expect(await failureOf(call)).toMatchObject({ code: 'NO_ANSWER', retryable: true, mayHaveHappened });
});

const inBun = (code: string) => Object.assign(new Error('The connection failed.'), { code });
const inDeno = (words: string) =>
  new TypeError(`error sending request for url (https://bailiff.test): ${words}`);

test.each([
  ['Bun', inBun('DEPTH_ZERO_SELF_SIGNED_CERT'), false],
  ['Bun', inBun('ENOTFOUND'), true],
  ['Bun', inBun('ECONNREFUSED'), true],
  ['Deno', inDeno('client error (Connect): invalid peer certificate: UnknownIssuer'), false],
  ['Deno', inDeno('client error (Connect): dns error: failed to lookup address information'), true],
  ['Deno', inDeno('client error (Connect): tcp connect error: Connection refused (os error 111)'), true],
])('a connection that was never made is told in %s too: %s', async (_, thrown, retryable) => {
  const environment = { fetch: () => Promise.reject(thrown), sleep: async () => {} };
  const call = clientOf('https://bailiff.test', { environment }).call('bans.add', BAN);
  expect(await failureOf(call)).toMatchObject({ code: 'NO_ANSWER', retryable, mayHaveHappened: false });
});

test.each([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])('a certificate that is not trusted (%s) ends a call at once, and nothing was sent', async (code) => {
  const fetch = vi.fn(() => Promise.reject(new TypeError('fetch failed', { cause: { code } })));
  const environment = { fetch, sleep: async () => {} };
  const error = await failureOf(clientOf('https://bailiff.test', { environment }).call('bans.add', BAN));
  expect(error).toMatchObject({ code: 'NO_ANSWER', retryable: false, mayHaveHappened: false });
  expect(error.message).toContain(code);
  expect(fetch).toHaveBeenCalledTimes(1);
});

test('an answer whose pieces end within a letter is put together again', async () => {
  const answer = Buffer.from(JSON.stringify({ data: [{ reason: 'Störung' }], next_cursor: null }));
  const within = answer.indexOf(0xc3) + 1;
  const pieces = ReadableStream.from([answer.subarray(0, within), answer.subarray(within)]);
  // What a network makes of an answer nobody can ask it for.
  const environment = { fetch: async () => new Response(pieces) };
  const client = clientOf('http://bailiff.test', { environment });
  expect(await client.call('bans.list')).toMatchObject({ data: [{ reason: 'Störung' }] });
});

test('an address with a path is kept whole', async () => {
  const server = await serve(EMPTY);
  await clientOf(`${server.url}/mod/`).call('bans.list');
  expect(server.received[0]?.path).toMatch(/^\/mod\/api\/public\/v1\//);
});

describe('an answer that is not Bailiff’s', () => {
  test('is followed by another attempt when it says to come again', async () => {
    const server = await serve(json(503, {}, { 'Retry-After': '7' }), EMPTY);
    await clientOf(server.url).call('bans.list');
    expect(waits).toEqual([7_000]);
  });

  test.each([500, 502, 503, 504, 429])('with status %i may pass', async (status) => {
    const server = await serve(html(status), DONE);
    await clientOf(server.url).call('bans.add', BAN);
    expect(new Set(keysOf(server)).size).toBe(1);
  });

  test.each([
    [200, true],
    [404, false],
  ])('with status %i is thrown', async (status, mayHaveHappened) => {
    const server = await serve(html(status));
    const error = await failureOf(clientOf(server.url).call('bans.add', BAN));
    expect(error).toMatchObject({ code: 'UNEXPECTED_ANSWER', status, retryable: false, mayHaveHappened });
    expect(server.received).toHaveLength(1);
  });

  test('but JSON of another shape is thrown', async () => {
    const server = await serve(json(400, { error: 'invalid_request' }));
    expect(await failureOf(clientOf(server.url).call('bans.list'))).toMatchObject({
      code: 'UNEXPECTED_ANSWER',
      status: 400,
    });
  });

  test('but a redirect is not followed: it could take the token elsewhere', async () => {
    const elsewhere = await serve(EMPTY);
    const server = await serve(redirectTo(`${elsewhere.url}/api/public/v1/me`));
    const error = await failureOf(clientOf(server.url).call('bans.list'));
    expect(error).toMatchObject({ code: 'UNEXPECTED_ANSWER', status: 307 });
    expect(elsewhere.received).toEqual([]);
  });
});

test('a body that does not end is given up after the time for an attempt, and tried again', async () => {
  const limits = vi.spyOn(AbortSignal, 'timeout');
  onTestFinished(() => void limits.mockRestore());
  const timeIsUp = new AbortController();
  limits.mockReturnValueOnce(timeIsUp.signal);
  const begun: typeof fetch = async (...request) => {
    const answer = await fetch(...request);
    timeIsUp.abort(new DOMException('The time is up.', 'TimeoutError'));
    return answer;
  };
  const server = await serve(neverEnd, EMPTY);
  const environment = { fetch: begun, now: () => 0, sleep: async () => {} };
  const bounds = { attemptTimeoutMs: 100_000, deadlineMs: 300_000 };
  await clientOf(server.url, { ...bounds, environment }).call('bans.list');
  expect(server.received).toHaveLength(2);
  expect(limits.mock.calls).toEqual([[100_000], [100_000]]);
});

test.each([
  [60, {}, 75_000],
  [15, {}, 30_000],
  [60, { attemptTimeoutMs: 90_000 }, 90_000],
  [1, { attemptTimeoutMs: 2_000, deadlineMs: 20_000 }, 16_000],
])('an answer that may wait for %i s still comes in time, also after an error, with %j', async (...row) => {
  const [preferSeconds, bounds, expected] = row;
  const limits = vi.spyOn(AbortSignal, 'timeout');
  onTestFinished(() => void limits.mockRestore());
  const server = await serve(
    refusal(503, 'UPSTREAM_UNAVAILABLE', true),
    json(200, { id: APPROVAL, state: 'pending' }),
  );
  const look = { preferSeconds, ...bounds };
  const answer = await clientOf(server.url).call('approvals.get', { approvalId: APPROVAL }, look);
  expect(answer).toMatchObject({ state: 'pending' });
  expect(server.received[0]?.headers.prefer).toBe(`wait=${preferSeconds}`);
  expect(limits.mock.calls).toEqual([[expected], [expected]]);
});

test('an answer that may wait for the owner is given up with the time of the whole call', async () => {
  const limits = vi.spyOn(AbortSignal, 'timeout');
  onTestFinished(() => void limits.mockRestore());
  const server = await serve(json(200, { id: APPROVAL, state: 'pending' }));
  const look = { preferSeconds: 60, withinMs: 40_000 };
  await clientOf(server.url).call('approvals.get', { approvalId: APPROVAL }, look);
  expect(limits.mock.calls).toEqual([[40_000]]);
});

test('a body longer than any answer is not read to its end', async () => {
  const body = endless();
  const server = await serve(body.behave);
  expect(await failureOf(clientOf(server.url).call('bans.list'))).toMatchObject({
    code: 'UNEXPECTED_ANSWER',
    retryable: false,
  });
  expect(body.sent()).toBeLessThan(24 * 1024 * 1024);
  expect(server.received).toHaveLength(1);
});

describe('the caller’s signal', () => {
  test('ends an attempt', async () => {
    const controller = new AbortController();
    const server = await serve(() => controller.abort(new Error('enough')));
    const call = clientOf(server.url).call('bans.list', {}, { signal: controller.signal });
    await expect(call).rejects.toThrow('enough');
  });

  test('ends a wait', async () => {
    const controller = new AbortController();
    const server = await serve(refusal(429, 'RATE_LIMITED', true, { retryAfter: '30' }));
    const client = new BailiffClient({ url: server.url, token: TOKEN, guildId: GUILD });
    const call = client.call('bans.list', {}, { signal: controller.signal });
    await expect.poll(() => server.received.length).toBe(1);
    controller.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
  });

  test('leaves no timer behind that would keep a program running', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const controller = new AbortController();
    const before = timers();
    const wait = SYSTEM.sleep(60_000, controller.signal);
    const waiting = timers();
    controller.abort(new Error('enough'));
    expect([waiting, timers()]).toEqual([before + 1, before]);
    await expect(wait).rejects.toThrow('enough');
  });

  test('that is one for a whole job has no listener more after each wait', async () => {
    const { signal } = new AbortController();
    await SYSTEM.sleep(1, signal);
    const enough = AbortSignal.abort(new Error('enough'));
    await expect(SYSTEM.sleep(60_000, enough)).rejects.toThrow('enough');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

test('a caller’s own key is sent as it is', async () => {
  const server = await serve(DONE);
  await clientOf(server.url).call('bans.add', BAN, { idempotencyKey: 'order-17' });
  expect(keysOf(server)).toEqual(['order-17']);
});

test('an answer says whether it is the stored one of an earlier request', async () => {
  const replayed = json(201, { ban: { user_id: USER } }, { 'Idempotent-Replayed': 'true' });
  const server = await serve(DONE, replayed);
  const client = clientOf(server.url);
  const send = () => client.send('bans.add', BAN, { idempotencyKey: 'order-17' });
  expect([await send(), await send()].map(({ isReplay }) => isReplay)).toEqual([false, true]);
});

test('without a guild the client asks for the token’s guild once', async () => {
  const server = await serve(json(200, { guild: { id: GUILD } }), EMPTY);
  const client = new BailiffClient({ url: `${server.url}/`, token: TOKEN });
  await client.call('bans.list');
  await client.call('mutes.list', { active: true });
  expect(server.received.map(({ path }) => path)).toEqual([
    '/api/public/v1/me',
    `/api/public/v1/guilds/${GUILD}/bans`,
    `/api/public/v1/guilds/${GUILD}/mutes?active=true`,
  ]);
});

test('a list is read page by page, with its filters on each', async () => {
  const server = await serve(
    json(200, { data: [{ id: 'b1' }, { id: 'b2' }], next_cursor: 'c1' }),
    json(200, { data: [{ id: 'b3' }], next_cursor: null }),
  );
  const ids: string[] = [];
  for await (const { id } of clientOf(server.url).list('bans.list', { active: true, limit: 2 })) ids.push(id);
  expect(ids).toEqual(['b1', 'b2', 'b3']);
  expect(server.received.map(({ path }) => path.split('?')[1])).toEqual([
    'active=true&limit=2',
    'active=true&limit=2&cursor=c1',
  ]);
});

test('what is said of retries holds for every page of a list', async () => {
  const server = await serve(
    json(200, { data: [{ id: 'b1' }], next_cursor: 'c1' }),
    refusal(503, 'UPSTREAM_UNAVAILABLE', true),
  );
  const pages = clientOf(server.url).list('bans.list', {}, { maxAttempts: 1 });
  expect((await pages.next()).value).toEqual({ id: 'b1' });
  expect(await failureOf(pages.next())).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
  expect([server.received.length, waits]).toEqual([2, []]);
});

test.each([`${TOKEN}\n`, `"${TOKEN}" `, ''])(
  'a token that no header can hold is refused without showing it',
  (token) => {
    const make = () => new BailiffClient({ url: 'http://bailiff.test', token });
    expect(make).toThrow(TypeError);
    expect(make).not.toThrow(/svcpat/);
  },
);

test.each(['localhost:3000', 'bailiff.example', 'ftp://bailiff.example'])(
  'an address that is none of HTTP is refused at once, with what one looks like: %s',
  (url) => {
    const make = () => new BailiffClient({ url, token: TOKEN });
    expect(make).toThrow(TypeError);
    expect(make).toThrow(/https:\/\/bailiff\.example\.$/);
  },
);

test.each(['no-show-Łukasz', 'two words', '', 'a'.repeat(256)])(
  'an idempotency key that no header can hold is refused, and nothing is sent: %s',
  async (idempotencyKey) => {
    const server = await serve(DONE);
    const call = clientOf(server.url).call('bans.add', BAN, { idempotencyKey });
    await expect(call).rejects.toThrow(TypeError);
    expect(server.received).toEqual([]);
  },
);

test('an input that is no JSON is refused, and nothing is sent', async () => {
  const server = await serve(DONE);
  const call = clientOf(server.url).call('bans.add', { ...BAN, user_id: 1n as unknown as string });
  await expect(call).rejects.toThrow(TypeError);
  expect(server.received).toEqual([]);
});

describe('a call that goes on after its answer', () => {
  const ID = 'act_00000000000000000000000000';
  const purge = {
    channel_id: '400000000000000001',
    count: 1000,
    _confirmation: `PURGE 1000 MESSAGES IN CHANNEL 400000000000000001 IN GUILD ${GUILD}`,
  };
  const action = (state: string, more: object = {}) => ({
    action: {
      id: ID,
      operation: 'messages.purge',
      state,
      outcome: null,
      progress: null,
      result: null,
      ...more,
    },
  });
  const running = (done: number) => action('running', { progress: { done, of: 1000 } });

  test('is followed to its end, and tells how far it has got', async () => {
    verifies('purge.long');
    const counts = {
      requested: 1000,
      deleted: 1000,
      skipped_pinned: 0,
      skipped_too_old: 0,
      archive_id: null,
    };
    const done = action('done', { outcome: 'performed', result: { purge: counts } });
    const server = await serve(json(202, running(300)), json(200, running(700)), json(200, done));
    const seen: number[] = [];
    const onProgress = (progress: { done: number }) => seen.push(progress.done);
    const answer = await clientOf(server.url).send('messages.purge', purge, { onProgress });
    expect(answer).toMatchObject({ status: 200, requestId: 'req_1', body: { purge: counts } });
    expect(seen).toEqual([300, 700]);
    expect(server.received.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `POST /api/public/v1/guilds/${GUILD}/mass-purge`,
      `GET /api/public/v1/guilds/${GUILD}/actions/${ID}`,
      `GET /api/public/v1/guilds/${GUILD}/actions/${ID}`,
    ]);
  });

  test('that no worker took up in time has certainly not happened', async () => {
    const error = {
      code: 'UPSTREAM_UNAVAILABLE',
      message: 'Nobody took it up.',
      details: { upstream: 'bot' },
    };
    const cancelled = action('cancelled', { outcome: 'not_performed', result: { error } });
    const server = await serve(json(202, action('pending')), json(200, cancelled));
    const failure = await failureOf(clientOf(server.url).call('messages.purge', purge));
    expect(failure).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', mayHaveHappened: false });
    expect(server.received).toHaveLength(2);
  });

  test('is followed as well when it has not begun yet', async () => {
    verifies('purge.long');
    const pending = action('pending');
    const done = action('done', { outcome: 'performed', result: { purge: {} } });
    const server = await serve(json(202, pending), json(200, pending), json(200, done));
    const answer = await clientOf(server.url).send('messages.purge', purge);
    expect(answer).toMatchObject({ status: 200, body: { purge: {} } });
    expect(server.received).toHaveLength(3);
  });

  test('is not waited for any longer once its caller has had enough', async () => {
    const server = await serve(json(202, running(300)));
    const controller = new AbortController();
    const ended: boolean[] = [];
    const sleep = async (_ms: number, signal: AbortSignal) => {
      controller.abort(new Error('enough'));
      ended.push(signal.aborted);
      signal.throwIfAborted();
    };
    const client = new BailiffClient({
      url: server.url,
      token: TOKEN,
      guildId: GUILD,
      environment: { sleep },
    });
    const call = client.call('messages.purge', purge, { signal: controller.signal });
    await expect(call).rejects.toThrow('enough');
    expect(ended).toEqual([true]);
    expect(server.received).toHaveLength(1);
  });

  test('is asked about after 1 s, then 2 s, 4 s, and every 5 s', async () => {
    verifies('purge.long');
    const going = Array.from({ length: 4 }, (_, n) => json(200, running(n)));
    const done = action('done', { outcome: 'performed', result: { purge: {} } });
    const server = await serve(json(202, running(0)), ...going, json(200, done));
    await clientOf(server.url).send('messages.purge', purge);
    expect(waits).toEqual([1_000, 2_000, 4_000, 5_000, 5_000]);
  });

  test('fails with the reason why the action failed', async () => {
    const error = { code: 'FORBIDDEN', message: 'It was stopped.', details: { reason: 'STOPPED' } };
    const failed = action('failed', { outcome: 'not_performed', result: { error } });
    const server = await serve(json(202, running(0)), json(200, failed));
    const failure = await failureOf(clientOf(server.url).call('messages.purge', purge));
    const told = { ...error, retryable: false, request_id: 'req_1' };
    expect(failure).toMatchObject({ ...error, mayHaveHappened: false, requestId: 'req_1' });
    expect(failure.envelope).toEqual({ error: told });
  });

  test('may have happened when nobody knows how the action ended', async () => {
    const error = { code: 'UPSTREAM_UNAVAILABLE', message: 'Discord did not answer.', details: {} };
    const lost = action('unknown', { outcome: 'unknown', result: { error } });
    const server = await serve(json(202, running(0)), json(200, lost));
    const failure = await failureOf(clientOf(server.url).call('messages.purge', purge));
    expect(failure).toMatchObject({ code: error.code, retryable: false, mayHaveHappened: true });
  });

  test('is followed over an outage, until its time is up', async () => {
    verifies('purge.long');
    const done = action('done', { outcome: 'performed', result: { purge: {} } });
    const away = refusal(503, 'UPSTREAM_UNAVAILABLE', true);
    const outage = Array.from({ length: 6 }, () => away);
    const server = await serve(json(202, running(0)), ...outage, dropConnection, json(200, done));
    expect(await clientOf(server.url).call('messages.purge', purge)).toEqual({ purge: {} });
    expect(waits).toEqual([1_000, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    const lost = await serve(json(202, running(0)), away);
    const failure = await failureOf(clientOf(lost.url).call('messages.purge', purge));
    expect(failure).toMatchObject({ code: 'STILL_RUNNING', details: { action_id: ID } });
    const waited = waits.slice(8).reduce((sum, ms) => sum + ms, 0);
    expect([waited > 200_000, waited <= 300_000]).toEqual([true, true]);
  });

  test('goes on in a state that a newer instance has', async () => {
    const done = action('done', { outcome: 'performed', result: { purge: {} } });
    const server = await serve(json(202, running(0)), json(200, action('paused')), json(200, done));
    expect(await clientOf(server.url).call('messages.purge', purge)).toEqual({ purge: {} });
    expect(server.received).toHaveLength(3);
  });

  test('may have happened when it ended with an outcome that a newer instance has', async () => {
    const error = { code: 'UPSTREAM_UNAVAILABLE', message: 'Half of it was done.', details: {} };
    const half = action('failed', { outcome: 'in_part', result: { error } });
    const server = await serve(json(202, running(0)), json(200, half));
    const failure = await failureOf(clientOf(server.url).call('messages.purge', purge));
    expect(failure).toMatchObject({ code: error.code, mayHaveHappened: true });
  });

  test.each([
    ['that a budget is used up', refusal(429, 'RATE_LIMITED', true, { retryAfter: '600' }), 'RATE_LIMITED'],
    ['that the token is revoked', refusal(401, 'TOKEN_REVOKED', false), 'TOKEN_REVOKED'],
    ['a page of a proxy', html(404), '404'],
  ])('may have happened when the answer to how it goes on is %s', async (_what, lost, reason) => {
    const server = await serve(json(202, running(300)), lost);
    const failure = await failureOf(clientOf(server.url).call('messages.purge', purge));
    expect(failure).toMatchObject({
      code: 'STILL_RUNNING',
      message: expect.stringContaining(reason),
      details: { action_id: ID },
      retryable: false,
      mayHaveHappened: true,
      envelope: undefined,
    });
  });

  test('is left running when the time of the whole call is up, of which its attempts have a part', async () => {
    const limited = refusal(429, 'RATE_LIMITED', true, { retryAfter: '10' });
    const server = await serve(limited, json(202, running(300)), json(200, running(400)));
    const failure = await failureOf(clientOf(server.url).call('messages.purge', purge, { withinMs: 30_000 }));
    expect(failure).toMatchObject({ code: 'STILL_RUNNING', details: { action_id: ID } });
    expect(waits).toEqual([10_000, 1_000, 2_000, 4_000, 5_000, 5_000]);
  });

  test('is left running when its time is up, which the error says', async () => {
    const server = await serve(json(202, running(300)), json(200, running(400)));
    const failure = await failureOf(clientOf(server.url).call('messages.purge', purge, { waitMs: 2_500 }));
    expect(failure).toMatchObject({
      code: 'STILL_RUNNING',
      details: { action_id: ID },
      retryable: false,
      mayHaveHappened: true,
    });
    expect(server.received).toHaveLength(2);
  });
});
