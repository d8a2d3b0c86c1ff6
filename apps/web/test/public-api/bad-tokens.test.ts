import { randomBytes } from 'node:crypto';
import { secretFromBytes } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PublicApiHarness, startPublicApi } from './harness.ts';

let api: PublicApiHarness;

beforeAll(async () => {
  api = await startPublicApi();
});

afterAll(async () => {
  await api.close();
});

const LIMIT = 600;
const BATCH = 20;

/** How many times a database connection is requested while `work` runs. */
async function connectionsWhile(work: () => Promise<void>): Promise<number> {
  let taken = 0;
  const count = () => {
    taken += 1;
  };
  const { pool, reads } = api.engine.db;
  for (const each of [pool, reads]) each.on('acquire', count);
  try {
    await work();
  } finally {
    for (const each of [pool, reads]) each.off('acquire', count);
  }
  return taken;
}

async function statusesOf(requests: number, address: string, token: () => string): Promise<number[]> {
  const statuses: number[] = [];
  while (statuses.length < requests) {
    const batch = Math.min(BATCH, requests - statuses.length);
    const answers = await Promise.all(
      Array.from({ length: batch }, () => api.call('/me', { address, token: token() })),
    );
    statuses.push(...answers.map(({ status }) => status));
  }
  return statuses;
}

const TOKENS: readonly (readonly [string, () => string])[] = [
  ['unknown', () => secretFromBytes(randomBytes(30))],
  ['malformed', () => `svcpat_${randomBytes(8).toString('hex')}`],
];

describe.each(TOKENS)('601 %s tokens from one address', (kind, token) => {
  const address = kind === 'unknown' ? '198.51.100.61' : '198.51.100.62';

  it('are refused as such 600 times, then as too many, and then cost the database nothing', async () => {
    verifies('limits.ip.public', 'limits.ip.malformed-counted', 'G5', 'H11');
    const before = await connectionsWhile(async () => {
      expect(new Set(await statusesOf(LIMIT, address, token))).toEqual(new Set([401]));
    });
    // One statement counts the requests that come together. Only well-formed secrets cost a second one.
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThanOrEqual(kind === 'unknown' ? 2 * LIMIT : LIMIT);
    expect(await statusesOf(1, address, token)).toEqual([429]);
    const after = await connectionsWhile(async () => {
      expect(new Set(await statusesOf(200, address, token))).toEqual(new Set([429]));
    });
    expect(after).toBe(0);
  });

  it('keep out a right token from there too, and none from elsewhere', async () => {
    verifies('G5');
    expect((await api.call('/me', { address })).body.error.details).toMatchObject({ scope: 'ip' });
    expect((await api.call('/me', { address: '198.51.100.63' })).status).toBe(200);
  });
});
