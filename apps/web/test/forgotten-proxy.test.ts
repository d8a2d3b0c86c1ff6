// A proxy in front of the web process that TRUSTED_PROXIES does not name.
import { Writable } from 'node:stream';
import { verifies } from '@bailiff/core/testing';
import pino from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAppServer, listenWhenFree } from '#src/app-server.ts';
import { startTestWeb, type TestWeb } from './support.ts';

let web: TestWeb;

beforeAll(async () => {
  web = await startTestWeb();
});
afterAll(() => web.close());

/** What the log and the pages of a server learn of some requests, each with these headers. */
async function afterRequests(requests: readonly Record<string, string>[]) {
  const logged: { level: number; msg: string; proxy?: string }[] = [];
  const write = (line: Buffer, _encoding: string, done: () => void) => {
    logged.push(JSON.parse(line.toString()));
    done();
  };
  const pages: unknown[] = [];
  const log = pino(new Writable({ write }));
  const server = createAppServer({ ...web.runtime, log }, async ({ headers }, response) => {
    pages.push(headers['x-bailiff-proxy']);
    response.end();
  });
  const port = await listenWhenFree(server, { host: '127.0.0.1', port: 0, patienceMs: 0 });
  for (const headers of requests) await fetch(`http://127.0.0.1:${port}/`, { headers });
  server.closeAllConnections();
  server.close();
  return { logged, pages };
}

it('is named once in the log with what to set, and to the pages that are opened through it', async () => {
  verifies('ops.proxy-warning');
  const { logged, pages } = await afterRequests([
    { 'X-Forwarded-For': '203.0.113.7' },
    {},
    { Forwarded: 'for=203.0.113.7' },
  ]);
  expect(pages).toEqual(['127.0.0.1', undefined, '127.0.0.1']);
  expect(logged).toHaveLength(1);
  expect(logged[0]).toMatchObject({
    level: 40,
    proxy: '127.0.0.1',
    msg: expect.stringContaining('set TRUSTED_PROXIES=127.0.0.1'),
  });
});

it('is not seen in what a client says of itself', async () => {
  verifies('ops.proxy-warning');
  expect(await afterRequests([{ 'X-Bailiff-Proxy': '10.0.0.3' }])).toEqual({
    logged: [],
    pages: [undefined],
  });
});
