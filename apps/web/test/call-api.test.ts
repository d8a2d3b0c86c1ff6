// What the forms of pages make of an answer of the dashboard's API.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { verifies } from '@bailiff/core/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CallFailure, callApi, meantBy } from '#components/call-api.ts';

const TEXTS = {
  unreachable: 'Bailiff gave no answer.',
  noAnswer: 'It may have been done.',
  signedOut: 'Your session has ended.',
  signInAgain: 'Your sign-in is too old.',
  answered: (status: number) => `The server answered ${status}.`,
};

let server: Server;
let base: string;
/** The next answer; null cuts the connection. */
let next: { readonly status: number; readonly body: string } | null;
const received: { type: string | undefined; body: string }[] = [];
let keyReceived: string | string[] | undefined;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    keyReceived = request.headers['idempotency-key'];
    received.push({ type: request.headers['content-type'], body: await text(request) });
    if (next === null) return void request.socket.destroy();
    response.writeHead(next.status, { 'Content-Type': 'application/json' }).end(next.body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

async function failure(answer: typeof next, key?: string): Promise<CallFailure> {
  next = answer;
  const error = await callApi(TEXTS, 'POST', `${base}/x`, {}, undefined, key).catch(
    (thrown: unknown) => thrown,
  );
  return error instanceof CallFailure ? error : expect.fail('The call did not fail.');
}

const refused = (status: number, error: object = {}) => ({
  status,
  body: JSON.stringify({ error: { message: 'As it was refused.', ...error } }),
});

test.each([
  [401, 'signedOut'],
  [404, 'notFound'],
  [409, 'outdated'],
  [502, 'unreachable'],
  [503, 'unreachable'],
  [504, 'unreachable'],
  [403, null],
  [422, null],
  [429, null],
  [500, null],
] as const)('an answer with %i means to the page: %s', async (status, meaning) => {
  const { signedOut, notFound, outdated, unreachable } = await failure(refused(status));
  const none = { signedOut: false, notFound: false, outdated: false, unreachable: false };
  expect({ signedOut, notFound, outdated, unreachable }).toEqual(
    meaning === null ? none : { ...none, [meaning]: true },
  );
});

test('what people read is the error’s own message, or what the page says of a session or of no answer', async () => {
  expect((await failure(refused(403))).message).toBe('As it was refused.');
  expect((await failure(refused(401))).message).toBe(TEXTS.signedOut);
  const old = refused(401, { details: { reason: 'SIGN_IN_AGAIN' } });
  expect((await failure(old)).message).toBe(TEXTS.signInAgain);
  expect((await failure({ status: 502, body: '<html>Bad Gateway</html>' })).message).toBe(
    TEXTS.answered(502),
  );
  expect((await failure({ status: 200, body: '<html>A captive portal</html>' })).message).toBe(
    TEXTS.answered(200),
  );
  expect(await failure(null)).toMatchObject({ message: TEXTS.unreachable, unreachable: true });
});

test('an action whose answer was lost is said to be done perhaps, and to be sent again; what was refused is not', async () => {
  verifies('dashboard.sent-again');
  expect(await failure(null, 'k1')).toMatchObject({ message: TEXTS.noAnswer, keepsKey: true });
  expect(keyReceived).toBe('k1');
  const cut = { status: 504, body: '<html>Gateway Timeout</html>' };
  expect(await failure(cut, 'k1')).toMatchObject({ message: TEXTS.noAnswer, keepsKey: true });
  // Broken off in its body, or of a proxy that says nothing of the action.
  for (const broken of [
    { status: 201, body: '{"strike_id":"' },
    { status: 500, body: '<html>Internal Server Error</html>' },
  ])
    expect(await failure(broken, 'k1')).toMatchObject({ message: TEXTS.noAnswer, keepsKey: true });
  expect((await failure({ status: 403, body: '<html>Forbidden</html>' }, 'k1')).message).toBe(
    TEXTS.answered(403),
  );
  expect((await failure(refused(502), 'k1')).message).toBe('As it was refused.');
  for (const [status, keepsKey] of [
    [200, true],
    [400, false],
    [403, false],
    [409, false],
    [422, false],
    [429, true],
    [500, true],
    [503, true],
  ] as const)
    expect((await failure({ status, body: 'none' }, 'k1')).keepsKey, String(status)).toBe(keepsKey);
  await failure(null);
  expect(keyReceived).toBeUndefined();
});

test('an action of which nobody will ever know whether it was done is another one when it is sent again', async () => {
  verifies('dashboard.sent-again');
  const unknown = (upstream: string, outcome = 'unknown') =>
    failure(refused(502, { details: { upstream, outcome, action_id: 'act_1' } }), 'k1');
  // The same key would get the same answer for a day, and send no command.
  expect(await unknown('game_server')).toMatchObject({ message: 'As it was refused.', keepsKey: false });
  // These are looked for, so that the same key gets to know.
  for (const upstream of ['bot', 'discord', 'database'])
    expect((await unknown(upstream)).keepsKey, upstream).toBe(true);
});

test('a strike that is sent again is the same one, also where it would now lead to something else', () => {
  verifies('dashboard.sent-again');
  const strike = { operation: 'strikes.add', input: { reason: 'Spam' } };
  const mute = { points: 3, sanction: 'mute', duration_minutes: 60 };
  const first = meantBy('/actions', { ...strike, foreseen: null });
  expect(meantBy('/actions', { ...strike, foreseen: mute })).toBe(first);
  expect(meantBy('/actions', { ...strike, input: { reason: 'Flood' }, foreseen: null })).not.toBe(first);
  expect(meantBy('/elsewhere/actions', { ...strike, foreseen: null })).not.toBe(first);
});

test('a call that came too soon says when it may be sent again; no other does', async () => {
  const waits = { details: { scope: 'session', retry_after_seconds: 7 } };
  expect((await failure(refused(429, waits))).retryAfterSeconds).toBe(7);
  expect((await failure(refused(503, waits))).retryAfterSeconds).toBeNull();
  expect((await failure({ status: 429, body: '<html>Too Many</html>' })).retryAfterSeconds).toBeNull();
});

test('what is wrong with a field is told at that field, also within a list, and at no other', async () => {
  const issues = [
    { path: 'ip_allowlist.1', message: 'is no address' },
    { path: 'name', message: 'is too long' },
  ];
  const failed = await failure(refused(422, { details: { issues } }));
  expect(['ip_allowlist', 'name', 'nam', 'ip'].map((path) => failed.issueOf(path))).toEqual([
    'is no address',
    'is too long',
    undefined,
    undefined,
  ]);
});

test('a change is sent as JSON, and a file or a form as it is', async () => {
  next = { status: 200, body: '{"done":true}' };
  received.length = 0;
  expect(await callApi(TEXTS, 'POST', `${base}/x`, { a: 1 })).toEqual({ done: true });
  await callApi(TEXTS, 'POST', `${base}/x`, new Blob(['proof'], { type: 'text/html' }));
  await callApi(TEXTS, 'POST', `${base}/x`, new URLSearchParams({ to: '/a b' }));
  await callApi(TEXTS, 'DELETE', `${base}/x`);
  expect(received).toEqual([
    { type: 'application/json', body: '{"a":1}' },
    { type: 'application/octet-stream', body: 'proof' },
    { type: 'application/x-www-form-urlencoded;charset=UTF-8', body: 'to=%2Fa+b' },
    { type: undefined, body: '' },
  ]);
});
