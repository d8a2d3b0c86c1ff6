import { verifies } from '@bailiff/core/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRequestWindow } from '#src/request-window.ts';
import {
  exhaust,
  ORIGIN,
  passTime,
  startAnotherRuntime,
  startTestWeb,
  type TestWeb,
  windowSeconds,
} from './support.ts';

let web: TestWeb;

beforeAll(async () => {
  web = await startTestWeb();
});
afterAll(() => web.close());

/** A request with a token to any path below /api. */
function send(path: string, address: string): Promise<Response> {
  const { publicApi, dashboardApi, deviceApi } = web.runtime;
  const serve = path.startsWith('/api/public/')
    ? publicApi
    : path.startsWith('/api/oauth/')
      ? deviceApi
      : dashboardApi;
  const method = path.startsWith('/api/oauth/') ? 'POST' : 'GET';
  const request = new Request(`${ORIGIN}${path}`, { method, headers: { Authorization: 'Bearer svcpat_x' } });
  return serve(request, { address });
}

async function sendMany(count: number, path: string, address: string): Promise<number[]> {
  const statuses: number[] = [];
  for (let sent = 0; sent < count; sent += 50) {
    const batch = Array.from({ length: Math.min(50, count - sent) }, () => send(path, address));
    statuses.push(...(await Promise.all(batch)).map(({ status }) => status));
  }
  return statuses;
}

it('takes 600 requests of an address a minute to all of /api together', async () => {
  verifies('limits.ip.api-ip');
  const address = '198.51.100.71';
  await send('/api/public/v1/me', address);
  expect(await windowSeconds(web, `api:${address}`)).toBe(60);
  const statuses = [
    ...(await sendMany(349, '/api/public/v1/me', address)),
    ...(await sendMany(10, '/api/oauth/device/token', address)),
    ...(await sendMany(240, '/api/api-tokens', address)),
  ];
  expect(statuses).not.toContain(429);
  for (const path of ['/api/public/v1/me', '/api/api-tokens', '/api/oauth/device/token']) {
    const refused = await send(path, address);
    expect([path, refused.status]).toEqual([path, 429]);
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
    expect(Number(refused.headers.get('Retry-After'))).toBeLessThanOrEqual(60);
    const { error } = (await refused.json()) as { error: { code: string; details: object } };
    expect(error).toMatchObject({ code: 'RATE_LIMITED', details: { scope: 'ip' } });
  }
  expect((await send('/api/public/v1/me', '198.51.100.72')).status).toBe(401);
});

it('counts every one of many requests at once, and in every process', async () => {
  const address = '198.51.100.73';
  const other = await startAnotherRuntime(web);
  try {
    const requests = Array.from({ length: 300 }, () => [
      send('/api/public/v1/me', address),
      other.publicApi(new Request(`${ORIGIN}/api/public/v1/me`), { address }),
    ]).flat();
    const left = (await Promise.all(requests)).map(({ headers }) =>
      Number(headers.get('X-RateLimit-Remaining')),
    );
    expect(left.sort((a, b) => a - b)).toEqual(Array.from({ length: 600 }, (_, n) => n));
    expect((await send('/api/public/v1/me', address)).status).toBe(429);
  } finally {
    await other.close();
  }
});

it('begins a new window when the last one has ended, by the clock of the database', async () => {
  const address = '198.51.100.74';
  await sendMany(601, '/api/public/v1/me', address);
  await passTime(web.db, 301);
  const fresh = await startAnotherRuntime(web); // it remembers no block
  try {
    const answer = await fresh.publicApi(new Request(`${ORIGIN}/api/public/v1/me`), { address });
    expect([answer.status, answer.headers.get('X-RateLimit-Remaining')]).toEqual([401, '599']);
  } finally {
    await fresh.close();
  }
});

it('ends no later than a whole window from now after the clock went back', async () => {
  verifies('H10');
  const address = '198.51.100.75';
  await exhaust(web.db, `public:${address}`);
  await passTime(web.db, -3600);
  const refused = await send('/api/public/v1/me', address);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('Retry-After'))).toBeLessThanOrEqual(300);
});

it('says to wait until the window has room, and never less', async () => {
  const window = createRequestWindow(web.db.pool, 'rounding', { requests: 10, windowSeconds: 60 });
  for (const [msLeft, seconds] of [
    [1, 1],
    [1_000, 1],
    [1_001, 2],
    [59_400, 60],
  ] as const) {
    const counted = Promise.resolve({ points: 11, msLeft });
    await expect(window.count(`of ${msLeft} ms`, 'ip', 'requests', counted)).rejects.toMatchObject({
      message: `Too many requests. Try again in ${seconds} s.`,
      retryAfterSeconds: seconds,
    });
  }
});
