import { verifies } from '@bailiff/core/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { FarEnd, GUILD, refusal, sessionOf } from './support.ts';

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

/** Lists bans, with a given part of the random variation. */
function listBans(random = 0) {
  const session = sessionOf(far, {
    now: () => waits.reduce((sum, ms) => sum + ms, 0),
    random: () => random,
    sleep: async (ms) => void waits.push(ms),
  });
  return session.send({ operation: 'bans.list', guildId: GUILD, input: { limit: 1 } }, never);
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
