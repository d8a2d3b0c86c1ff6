// What the server in front counts and bounds before Next or an API sees it.

import type { Server } from 'node:http';
import { OAUTH_PATHS } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createAppServer, listenWhenFree } from '#src/app-server.ts';
import { DOCUMENTED } from './public-api/contract.ts';
import {
  exhaust,
  ORIGIN,
  passTime,
  startAnotherRuntime,
  startTestWeb,
  type TestWeb,
  windowSeconds,
} from './support.ts';
import { requestBytes, sendBytes } from './wire.ts';

let web: TestWeb;
let server: Server;
let port: number;
/** The bodies that reached Next. */
const reachedNext: string[] = [];

beforeAll(async () => {
  web = await startTestWeb({ TRUSTED_PROXIES: '127.0.0.1' });
  server = createAppServer(web.runtime, async (message, response) => {
    // Next, too, adds such a listener at the first page.
    if (server.listenerCount('upgrade') === 0) server.on('upgrade', () => {});
    let body = '';
    for await (const chunk of message) body += chunk;
    reachedNext.push(body);
    response.end('<p>a page</p>');
  });
  port = await listenWhenFree(server, { host: '127.0.0.1', port: 0, patienceMs: 0 });
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await web.close();
});
beforeEach(async () => {
  await web.db.pool.query('TRUNCATE rate_limits');
  reachedNext.length = 0;
});

const addresses = Array.from({ length: 100 }, (_, index) => `198.51.100.${index + 1}`);
/** A client whose address no other test uses. */
function client(address = addresses.pop() ?? '') {
  const send = (method: string, target: string, headers: readonly string[] = [], body = '') =>
    sendBytes(port, requestBytes(method, target, [`X-Forwarded-For: ${address}`, ...headers], body));
  const many = async (count: number, target: string) => {
    const statuses: number[] = [];
    for (let sent = 0; sent < count; sent += 20) {
      const batch = Array.from({ length: Math.min(20, count - sent) }, () => send('GET', target));
      statuses.push(...(await Promise.all(batch)).map(({ status }) => status));
    }
    return statuses;
  };
  return { address, send, many };
}

const admitted = (statuses: readonly number[]) => statuses.filter((status) => status !== 429).length;
const codeOf = ({ text }: { text: string }) => JSON.parse(text).error.code;

it('sign-in paths count as all of /api: 600 requests a minute', async () => {
  verifies('limits.ip.auth');
  const { send, many } = client();
  expect(admitted(await many(601, '/api/auth/csrf'))).toBe(600);
  const refused = await send('GET', '/api/auth/session');
  expect([refused.status, codeOf(refused)]).toEqual([429, 'RATE_LIMITED']);
  expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
  expect((await send('GET', '/api/api-tokens')).status).toBe(429);
});

it('callbacks of a sign-in have a limit of their own: 20 in ten minutes', async () => {
  verifies('limits.auth.callback');
  const { many } = client();
  expect(admitted(await many(30, '/api/auth/callback/discord?code=x'))).toBe(20);
  expect(admitted(await client().many(1, '/api/auth/callback/discord?code=x'))).toBe(1);
});

it('a path that Next would read as another one never reaches it, so no limit is passed by', async () => {
  verifies('limits.auth.callback');
  const { send } = client();
  for (const target of [
    '/_next/static/../../api/auth/callback/discord?code=x&state=y',
    '/_next/static/%2e%2e/%2e%2e/sign-in',
    '/x/../api/auth/csrf',
    '/sign-in#/../api/auth/csrf',
  ]) {
    expect((await send('GET', target)).status, target).toBe(400);
  }
  expect(reachedNext).toEqual([]);
});

it('a callback takes GET only, so that its state is in the address', async () => {
  const answer = await client().send('POST', '/api/auth/callback/discord', ['Content-Length: 0']);
  expect([answer.status, answer.headers.get('Allow')]).toEqual([405, 'GET']);
  expect(reachedNext).toEqual([]);
});

it('the body of a sign-in is bounded like those of every API, and arrives whole', async () => {
  verifies('limits.auth.body');
  const { send } = client();
  const signIn = '/api/auth/signin/discord';
  const form = (size: number) => `csrfToken=${'x'.repeat(size)}`;
  for (const size of [66_000, 5_000_000]) {
    const body = form(size);
    const announced = await send('POST', signIn, [`Content-Length: ${body.length}`], body);
    expect([announced.status, codeOf(announced)]).toEqual([413, 'VALIDATION_FAILED']);
  }
  const chunk = `${(66_000).toString(16)}\r\n${'x'.repeat(66_000)}\r\n0\r\n\r\n`;
  expect((await send('POST', signIn, ['Transfer-Encoding: chunked'], chunk)).status).toBe(413);
  expect(reachedNext).toEqual([]);
  const short = form(60_000);
  expect((await send('POST', signIn, [`Content-Length: ${short.length}`], short)).status).toBe(200);
  const chunked = `5\r\nhello\r\n0\r\n\r\n`;
  expect((await send('POST', signIn, ['Transfer-Encoding: chunked'], chunked)).status).toBe(200);
  expect(reachedNext).toEqual([short, 'hello']);
});

it('a request with Upgrade is answered like others, also after the first page', async () => {
  verifies('http.upgrade');
  const upgrade = ['Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA'];
  for (const [target, status] of [
    ['/api/public/v1/me', 401],
    ['/api/api-tokens', 401],
    ['/guilds/1', 200],
    ['/healthz', 200],
    ['/api/public/v1/me', 401],
    ['/guilds/1', 200],
  ] as const) {
    // `requestBytes` sends Connection: close too, so each socket has to end.
    const answer = await client().send('GET', target, ['Connection: Upgrade, HTTP2-Settings', ...upgrade]);
    expect([target, answer.status]).toEqual([target, status]);
  }
  const sockets = await new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
  expect(sockets).toBe(0);
});

it('an IPv6 client is counted by its /64', async () => {
  verifies('limits.ip.v6-prefix');
  const own = client('2001:db8:1:2::1');
  await own.send('GET', '/api/public/v1/me');
  for (const [address, left] of [
    ['2001:db8:1:2:ffff:ffff:ffff:ffff', '598'],
    ['2001:0db8:0001:0002::abcd', '597'],
    ['2001:db8:1:3::1', '599'],
    ['::ffff:198.51.100.200', '599'],
    ['198.51.100.200', '598'],
    ['198.51.100.201', '599'],
  ] as const) {
    const { headers } = await client(address).send('GET', '/api/public/v1/me');
    expect([address, headers.get('X-RateLimit-Remaining')]).toEqual([address, left]);
  }
  await exhaust(web.db, 'api:2001:db8:1:2::/64');
  for (const target of ['/api/api-tokens', '/api/oauth/device/token', '/api/auth/csrf'])
    expect((await client('2001:db8:1:2:3::4').send('GET', target)).status).toBe(429);
  await exhaust(web.db, 'auth-callback:2001:db8:1:9::/64');
  await exhaust(web.db, 'pages:2001:db8:1:9::/64');
  for (const target of ['/api/auth/callback/discord?code=x', '/'])
    expect((await client('2001:db8:1:9:3::4').send('GET', target)).status).toBe(429);
});

it('no five minutes admit more than 660 requests of an address to the public API', async () => {
  verifies('limits.ip.sliding');
  const { address, many } = client();
  expect(admitted(await many(100, '/api/public/v1/me'))).toBe(100);
  await passTime(web.db, 240);
  expect(admitted(await many(500, '/api/public/v1/me'))).toBe(500);
  // The window of the first 100 is over; that of the 500 is not.
  await passTime(web.db, 70);
  const more = admitted(await many(300, '/api/public/v1/me'));
  expect(more).toBeGreaterThanOrEqual(100);
  expect(more).toBeLessThanOrEqual(160);
  // Waiting as long as the answer says is enough. This process remembers the block, so another one is asked.
  const other = await startAnotherRuntime(web);
  const me = () => new Request(`${ORIGIN}/api/public/v1/me`);
  const refused = await other.publicApi(me(), { address });
  expect(refused.status).toBe(429);
  await other.close();
  // A second more: the clock may have stepped back since.
  await passTime(web.db, Number(refused.headers.get('Retry-After')) + 1);
  const third = await startAnotherRuntime(web);
  expect((await third.publicApi(me(), { address })).status).toBe(401);
  await third.close();
});

it('pages and the reference have a generous window per address, and so has /readyz', async () => {
  verifies('limits.ip.pages');
  const { address, send, many } = client();
  expect(new Set(await many(100, '/docs/api'))).toEqual(new Set([200]));
  await send('GET', '/readyz');
  await exhaust(web.db, `pages:${address}`, 1_199);
  expect((await send('GET', '/docs/api')).status).toBe(200);
  expect(await windowSeconds(web, `pages:${address}`)).toBe(60);
  for (const target of [
    '/docs/api',
    '/guilds/1',
    '/sign-in',
    '/readyz',
    '/openapi.json',
    OAUTH_PATHS.metadata,
  ]) {
    const refused = await send('GET', target);
    expect([target, refused.status, codeOf(refused)]).toEqual([target, 429, 'RATE_LIMITED']);
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
  }
  // Files that never change cost nothing, and whether the process lives must always be told.
  expect((await send('GET', '/_next/static/x.js')).status).toBe(200);
  expect((await send('GET', '/healthz')).status).toBe(200);
  expect((await client().send('GET', '/docs/api')).status).toBe(200);
});

it('a page with more parameters than any has is refused, because Next looks for each among all', async () => {
  verifies('limits.page-parameters');
  const { address, send } = client();
  const parameters = (count: number) => Array.from({ length: count }, () => 'a=1').join('&');
  for (const path of ['/docs/api', '/sign-in', '/nowhere', '/api/auth/csrf']) {
    const most = await send('GET', `${path}?${parameters(100)}`);
    expect([path, most.status]).toEqual([path, 200]);
    const refused = await send('GET', `${path}?${parameters(101)}`);
    expect([path, refused.status, codeOf(refused)]).toEqual([path, 400, 'VALIDATION_FAILED']);
  }
  expect((await send('GET', `/api/public/v1/me?${parameters(4_000)}`)).status).toBe(401);
  // Refused ones count.
  await exhaust(web.db, `pages:${address}`);
  expect((await send('GET', `/docs/api?${parameters(101)}`)).status).toBe(429);
});

it('pages that cannot be counted are answered all the same, or a page could not say what is wrong', async () => {
  const { send } = client();
  await web.db.pool.query('ALTER TABLE rate_limits RENAME TO hidden');
  const page = await send('GET', '/');
  await web.db.pool.query('ALTER TABLE hidden RENAME TO rate_limits');
  expect([page.status, page.text]).toEqual([200, '<p>a page</p>']);
});

it('an answer to unreadable HTTP carries the limit of the address, and counts', async () => {
  verifies('limits.ip.unreadable-counted', 'openapi.statuses');
  const direct = await startTestWeb();
  const own = createAppServer(direct.runtime, async () => {});
  const at = await listenWhenFree(own, { host: '127.0.0.1', port: 0, patienceMs: 0 });
  try {
    const sent = [
      [400, 'NONSENSE\r\n\r\n'],
      [431, requestBytes('GET', '/api/public/v1/me', [`X-Long: ${'x'.repeat(20_000)}`])],
      [400, 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n'],
    ] as const;
    for (const [index, [status, bytes]] of sent.entries()) {
      const answer = await sendBytes(at, bytes);
      expect(answer.status).toBe(status);
      expect(answer.headers.get('X-RateLimit-Limit')).toBe('600');
      expect(answer.headers.get('X-RateLimit-Remaining')).toBe(String(599 - index));
      // Whatever operation it was for: the server cannot know.
      for (const operation of DOCUMENTED)
        operation.expectAnswer({ ...answer, body: JSON.parse(answer.text) }, operation.path);
    }
    await exhaust(direct.db, 'public:127.0.0.1');
    const refused = await sendBytes(at, 'NONSENSE\r\n\r\n');
    expect([refused.status, codeOf(refused)]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
    expect(refused.headers.get('X-RateLimit-Remaining')).toBe('0');
  } finally {
    own.closeAllConnections();
    own.close();
    await direct.close();
  }
});
