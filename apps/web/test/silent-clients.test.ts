// Clients that neither take their answer nor leave: each would hold a connection, and what waits to be sent on it.

import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { verifies } from '@bailiff/core/testing';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createAppServer, listenWhenFree } from '#src/app-server.ts';
import { startTestWeb, type TestWeb } from './support.ts';
import { requestBytes } from './wire.ts';

let web: TestWeb;
let server: Server;
let port: number;
const sockets: Socket[] = [];

beforeAll(async () => {
  web = await startTestWeb();
});
afterAll(() => web.close());
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.closeAllConnections();
  server.close();
});

/** Starts the server with such a page. */
async function start(page: string | (() => Promise<string>) = ''): Promise<void> {
  const text = typeof page === 'string' ? async () => page : page;
  server = createAppServer(web.runtime, async (_message, response) => void response.end(await text()));
  port = await listenWhenFree(server, { host: '127.0.0.1', port: 0, patienceMs: 0 });
}

/** A client that sends these bytes and keeps its connection open whatever it is told. */
function stay(bytes: string): Socket {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  sockets.push(socket);
  socket.on('error', () => {});
  socket.write(bytes);
  return socket;
}

/** What a client reads until the server has nothing more to say. */
async function answerOn(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
  });
  await once(socket, 'end');
  return text;
}

const connections = () => new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
const noneIsLeft = () => expect.poll(connections).toBe(0);

it.each([
  ['is no HTTP', 'NONSENSE\r\n\r\n'],
  ['asks for a tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n'],
  ['names two hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
])('a connection whose request %s is closed, also if its client stays', async (_what, bytes) => {
  verifies('http.silent-clients');
  await start();
  expect(await answerOn(stay(bytes))).toContain('HTTP/1.1 400 ');
  await noneIsLeft();
});

it.each([
  ['is no HTTP', '\0'],
  ['names two hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
  ['has a broken body', 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nZZ'],
])('what %s behind a request does not overtake its answer, which is the last one', async (_what, more) => {
  verifies('http.silent-clients');
  const counted = async () =>
    (await web.db.pool.query("SELECT points FROM rate_limits WHERE key = 'public:127.0.0.1'")).rows[0].points;
  await start();
  await answerOn(stay('NONSENSE\r\n\r\n'));
  server.close();
  const before = await counted();
  await start(async () => {
    await expect.poll(counted).toBe(before + 1);
    return 'the page';
  });
  // Without `Connection: close`, with which nothing behind it would be read.
  const answer = await answerOn(stay(`GET /sign-in HTTP/1.1\r\nHost: a\r\n\r\n${more}`));
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(answer).toContain('Connection: close');
  expect(answer.endsWith('the page')).toBe(true);
  await noneIsLeft();
});

it('a client that resets its connection while it is answered harms nothing, whatever it sent behind its request', async () => {
  verifies('http.silent-clients');
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<string>();
  let isAsked = false;
  await start(() => {
    isAsked = true;
    return mayAnswer;
  });
  const socket = stay(`${requestBytes('GET', '/sign-in')}\0`);
  await expect.poll(() => isAsked).toBe(true);
  socket.resetAndDestroy();
  // What nobody handles would fail the run.
  await noneIsLeft();
  answer('');
});

it('nothing is done behind a request that is refused', async () => {
  verifies('http.silent-clients');
  let served = 0;
  await start(async () => {
    served += 1;
    return '';
  });
  const refused = 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n';
  expect(await answerOn(stay(refused + requestBytes('GET', '/sign-in')))).toMatch(/^HTTP\/1\.1 400 /);
  expect(served).toBe(0);
  await noneIsLeft();
});

it('a client that sends its request byte by byte without end is answered, and closed', async () => {
  verifies('http.silent-clients');
  await start();
  server.requestTimeout = 500;
  server.headersTimeout = 500;
  const socket = stay(requestBytes('POST', '/api/public/v1/guilds/1/bans', ['Content-Length: 60000']));
  const trickle = setInterval(() => socket.write(' '), 100);
  expect(await answerOn(socket)).toContain('HTTP/1.1 4');
  await noneIsLeft();
  clearInterval(trickle);
});

it('a client whose headers do not end is told that they came too late', async () => {
  verifies('http.silent-clients');
  await start();
  server.requestTimeout = 500;
  server.headersTimeout = 500;
  const answer = await answerOn(stay('GET /api/public/v1/me HTTP/1.1\r\nHost: bailiff.test\r\n'));
  expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
  expect(answer).toContain('The request did not arrive in time.');
  await noneIsLeft();
});

it('a client that does not read its answer is closed', async () => {
  verifies('http.silent-clients');
  await start('x'.repeat(64 * 1024 * 1024));
  // Longer than any call waits for its answer, such as for a decision.
  expect(server.timeout).toBeGreaterThan(60_000);
  expect(server.timeout).toBeLessThanOrEqual(120_000);
  server.timeout = 500;
  stay(requestBytes('GET', '/sign-in')).pause();
  await expect.poll(connections).toBe(1);
  await noneIsLeft();
});

it('a connection that nobody uses is kept longer than the proxies of deploy/ keep it, and no request lasts for ever', async () => {
  verifies('http.silent-clients');
  await start();
  // A proxy keeps one for 60 s: it must be the one that closes it, or a request would meet a closed connection.
  expect(server.keepAliveTimeout).toBe(65_000);
  expect([server.headersTimeout, server.requestTimeout]).toEqual([10_000, 20_000]);
});
