import { verifies } from '@bailiff/core/testing';
import { seedWindow } from '@bailiff/engine/testing';
import { continueAction } from '@bailiff/engine/worker/continue-action';
import type { LongPerformer, Run } from '@bailiff/engine/worker/long-actions';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { ALL_NOTHING, type PublicApiHarness, sentinel, startPublicApi } from './harness.ts';

const COUNTS = { requested: 1000, deleted: 1000, skipped_pinned: 0, skipped_too_old: 0, archive_id: null };
const CHANNEL = '400000000000000001';

let api: PublicApiHarness;
let saved: PromiseWithResolvers<Run>;
let mayEnd: PromiseWithResolvers<'done' | 'unfinished'>;

/** A purge that has deleted 300 messages and goes on when it may, once or in a second stretch. */
const purge: LongPerformer<'messages.purge'> = {
  work: async (_action, run) => {
    await run.save({ at: 300 }, { done: 300, of: 1000 });
    saved.resolve(run);
    if (run.deadline !== null && (await mayEnd.promise) === 'unfinished') return 'unfinished';
    return { state: 'done', write: async () => ({ purge: COUNTS }) };
  },
  verify: async () => ({ state: 'done', write: async () => ({ purge: COUNTS }) }),
};
const performers = { ...ALL_NOTHING, 'messages.purge': purge };

beforeAll(async () => {
  api = await startPublicApi({ performers });
  await seedWindow(api.database, api.guild, api.token);
});
afterAll(() => api.close());

beforeEach(async () => {
  saved = Promise.withResolvers();
  mayEnd = Promise.withResolvers();
  await api.database.pool.query('TRUNCATE budgets');
});

function send(headers: Record<string, string> = {}) {
  const input = { channel_id: CHANNEL, count: 1000 };
  const body = { ...input, _confirmation: sentinel('messages.purge', api.guild, input) };
  return api.inGuild('/mass-purge', { method: 'POST', body, headers });
}

const running = (id: string) => ({
  action: {
    id,
    operation: 'messages.purge',
    state: 'running',
    outcome: null,
    progress: { done: 300, of: 1000 },
    result: null,
  },
});

it('a purge that goes on is answered with 202, where it can be read, and a retry gets the same', async () => {
  verifies('purge.long');
  const key = { 'Idempotency-Key': 'long-1' };
  const sent = send(key);
  await saved.promise;
  mayEnd.resolve('unfinished');
  const { status, headers, body } = await sent;
  const { id } = body.action;
  expect([status, body]).toEqual([202, running(id)]);
  expect(headers.get('Location')).toBe(`/api/public/v1/guilds/${api.guild.id}/actions/${id}`);
  const again = await send(key);
  expect([again.status, again.body, again.headers.get('Idempotent-Replayed')]).toEqual([
    202,
    running(id),
    'true',
  ]);
  expect((await api.inGuild(`/actions/${id}`)).body).toEqual(running(id));
  const log = { info: () => {}, error: () => {} };
  const closing = new AbortController().signal;
  await continueAction({ db: api.database, performers, log, closing }, id);
  expect((await api.inGuild(`/actions/${id}`)).body).toEqual({
    action: {
      id,
      operation: 'messages.purge',
      state: 'done',
      outcome: 'performed',
      progress: null,
      result: { purge: COUNTS },
    },
  });
  const ended = await send(key);
  expect([ended.status, ended.body]).toEqual([200, { purge: COUNTS }]);
});

it('a caller that wants to wait no longer gets 202 as soon as the purge has begun', async () => {
  verifies('purge.long');
  const sent = send({ Prefer: 'respond-async, wait=0' });
  await saved.promise;
  const { status, body } = await sent;
  expect([status, body.action.state]).toEqual([202, 'running']);
  mayEnd.resolve('done');
  const id: string = body.action.id;
  const state = async () => (await api.inGuild(`/actions/${id}`)).body.action.state;
  await expect.poll(state, { timeout: 20_000 }).toBe('done');
});

it('a purge that ends in time is answered as ever', async () => {
  verifies('purge.response');
  mayEnd.resolve('done');
  const { status, headers, body } = await send({ Prefer: 'wait=8' });
  expect([status, body, headers.get('Location')]).toEqual([200, { purge: COUNTS }, null]);
});
