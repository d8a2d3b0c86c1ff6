// What Prometheus reads from a web process.
import { OAUTH_PATHS } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { parseMetrics, undocumented } from '@bailiff/core/testing-metrics';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exhaust, serve, startTestWeb, type TestServer, type TestWeb } from './support.ts';

let web: TestWeb;
let server: TestServer;

beforeAll(async () => {
  web = await startTestWeb({ METRICS_PORT: '0' });
  server = await serve(web, 'a page');
});
afterAll(async () => {
  server.close();
  await web.close();
});

test('a web process counts answers by operation and code, and measures how long they took', async () => {
  verifies('ops.metrics');
  const guild = '123456789012345678';
  const get = async (path: string, headers = {}) =>
    (await fetch(`${server.base}${path}`, { headers })).status;
  const bearer = { Authorization: `Bearer blf_${'x'.repeat(40)}` };
  expect(await get(`/api/public/v1/guilds/${guild}/strikes`, bearer)).toBe(401);
  expect(await get('/api/public/v1/nowhere', bearer)).toBe(404);
  expect(await get(`/api/guilds/${guild}/events`)).toBe(401);
  expect(await get(OAUTH_PATHS.token)).toBe(405);
  expect(await get(`/guilds/${guild}`)).toBe(200);
  await exhaust(web.db, 'public:127.0.0.1');
  expect(await get(`/api/public/v1/guilds/${guild}/strikes`, bearer)).toBe(429);

  const port = await web.runtime.metrics?.serve();
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  expect(undocumented('web', text)).toEqual([]);
  const samples = parseMetrics(text);
  const counted = samples.filter(({ metric }) => metric === 'bailiff_requests_total');
  expect(counted.map(({ labels, value }) => [...Object.values(labels), value]).sort()).toEqual([
    ['dashboard api', 'GET /api/guilds/{guildId}/events', 'UNAUTHORIZED', 1],
    ['device api', '/api/oauth/device/token', 'refused', 1],
    ['pages', 'page', 'ok', 1],
    ['public api', 'none', 'NOT_FOUND', 1],
    // Which operation it was is not looked at before the limit.
    ['public api', 'none', 'RATE_LIMITED', 1],
    ['public api', 'strikes.list', 'UNAUTHORIZED', 1],
  ]);
  expect(samples.filter(({ metric }) => metric === 'bailiff_requests_limited_total')).toEqual([
    { metric: 'bailiff_requests_limited_total', labels: { scope: 'ip', tier: 'none' }, value: 1 },
  ]);
  const slowest = samples.filter(({ labels }) => labels.le === '+Inf' && labels.operation === 'page');
  expect(slowest.map(({ value }) => value)).toEqual([1]);
  expect(text).not.toContain(guild);
});

test('an answer without a code of Bailiff counts by whose fault it was', async () => {
  verifies('ops.metrics');
  for (const status of [200, 307, 404, 499, 500, 503]) web.runtime.meter?.('pages', 'sign-in', status, 0.01);
  const text = await web.runtime.metrics?.registry.metrics();
  const counted = parseMetrics(text ?? '').filter(
    ({ metric, labels }) => metric === 'bailiff_requests_total' && labels.operation === 'sign-in',
  );
  expect(Object.fromEntries(counted.map(({ labels, value }) => [labels.code, value]))).toEqual({
    ok: 2,
    refused: 2,
    failed: 2,
  });
});

test('without METRICS_PORT a web process keeps no metrics', async () => {
  verifies('ops.metrics');
  const other = await startTestWeb();
  expect(other.runtime).toMatchObject({ metrics: null, meter: undefined });
  await other.close();
});
