import { exampleId } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { seedToken, seedWindow } from '@bailiff/engine/testing';
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
    stopped_by: null,
    notice: null,
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
      stopped_by: null,
      notice: null,
      result: { purge: COUNTS },
    },
  });
  const ended = await send(key);
  expect([ended.status, ended.body]).toEqual([200, { purge: COUNTS }]);
});

it.each([
  ['23 hours', 'done', 'performed'],
  ['25 hours', 'unknown', 'unknown'],
])('a purge that was left %s after it began ends as %s', async (age, state, outcome) => {
  verifies('purge.long');
  const sent = send();
  await saved.promise;
  mayEnd.resolve('unfinished');
  const { id } = (await sent).body.action;
  await api.database.pool.query('UPDATE actions SET created_at = created_at - $2::interval WHERE id = $1', [
    id,
    age,
  ]);
  const log = { info: () => {}, error: () => {} };
  const closing = new AbortController().signal;
  await continueAction({ db: api.database, performers, log, closing }, id);
  expect((await api.inGuild(`/actions/${id}`)).body.action).toMatchObject({ state, outcome });
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
  await expect.poll(state).toBe('done');
});

it('a purge that ends in time is answered as ever', async () => {
  verifies('purge.response');
  mayEnd.resolve('done');
  const { status, headers, body } = await send({ Prefer: 'wait=8' });
  expect([status, body, headers.get('Location')]).toEqual([200, { purge: COUNTS }, null]);
});

/** A purge that has deleted 300 messages and waits for its next stretch. Returns its id. */
async function leftPurge(): Promise<string> {
  const sent = send();
  await saved.promise;
  mayEnd.resolve('unfinished');
  const { status, body } = await sent;
  expect(status).toBe(202);
  return body.action.id;
}

const stop = (id: string, token?: string) =>
  api.inGuild(`/actions/${id}/stop`, { method: 'POST', body: {}, ...(token === undefined ? {} : { token }) });

async function rows<Row extends object>(text: string, ...values: unknown[]): Promise<Row[]> {
  return (await api.database.pool.query<Row>(text, values)).rows;
}

it('a token that may do the same stops an action without a window, once, and the audit log names it', async () => {
  verifies('action.stop');
  const id = await leftPurge();
  await api.database.pool.query('UPDATE windows SET closed_at = now()');
  const jobs = () =>
    rows<{ run_at: Date }>(
      "SELECT run_at FROM graphile_worker.jobs WHERE key = 'continue_action:' || $1",
      id,
    );
  const stopped = { action: { ...running(id).action, stopped_by: api.guild.ownerId } };
  for (let time = 1; time <= 2; time += 1) {
    const { status, body } = await stop(id);
    expect([status, body]).toEqual([200, stopped]);
  }
  expect(await jobs()).toHaveLength(1);
  expect((await api.inGuild(`/actions/${id}`)).body).toEqual(stopped);
  // Who was first has stopped it.
  const nameFirst = 'UPDATE actions SET stopped_by = $2 WHERE id = $1';
  await rows(nameFirst, id, api.guild.moderatorId);
  expect((await stop(id)).body.action.stopped_by).toBe(api.guild.moderatorId);
  const audit = await rows(
    `SELECT operation, outcome, actor_source, actor_user_id FROM audit
     WHERE target_id = $1 AND NOT is_read ORDER BY id`,
    id,
  );
  const by = { operation: 'actions.stop', actor_source: 'token', actor_user_id: api.guild.ownerId };
  const once = [
    { ...by, outcome: 'requested' },
    { ...by, outcome: 'performed' },
  ];
  expect(audit).toEqual([...once, ...once, ...once]);
  await seedWindow(api.database, api.guild, api.token);
});

it('what has ended, is a single step, is not there, or is not the token’s to do, is not stopped', async () => {
  verifies('action.stop.refused');
  const id = await leftPurge();
  const other = await seedToken(api.database, api.guild, { capabilities: ['bans.write', 'tickets.write'] });
  const refused = await stop(id, other.secret);
  expect([refused.status, refused.body.error]).toMatchObject([
    403,
    { code: 'CAPABILITY_DENIED', details: { missing: ['messages.purge'] } },
  ]);
  const log = { info: () => {}, error: () => {} };
  await continueAction({ db: api.database, performers, log, closing: new AbortController().signal }, id);
  const ended = await stop(id);
  expect([ended.status, ended.body.error]).toMatchObject([
    403,
    { code: 'FORBIDDEN', retryable: false, details: { reason: 'ACTION_ENDED' } },
  ]);
  const runningAs = async (operation: string) => {
    const [row] = await rows<{ id: string }>(
      `INSERT INTO actions (guild_id, operation, input, digest, state, actor_source, actor_user_id, request_id, claim_by)
       VALUES ($1, $2, '{}', '', 'running', 'chat', $3, 'req_stop', now()) RETURNING id`,
      api.guild.id,
      operation,
      api.guild.ownerId,
    );
    return row?.id ?? '';
  };
  const ban = await stop(await runningAs('bans.add'));
  expect([ban.status, ban.body.error.details]).toEqual([403, { reason: 'NOT_STOPPABLE' }]);
  for (const absent of [await runningAs('tickets.close'), exampleId('action')]) {
    const { status, body } = await stop(absent, other.secret);
    expect([status, body.error.code]).toEqual([404, 'NOT_FOUND']);
  }
  expect(await rows('SELECT FROM actions WHERE stopped_by IS NOT NULL AND id = $1', id)).toEqual([]);
});

it('what nobody has begun can be stopped too', async () => {
  verifies('action.stop');
  const [row] = await rows<{ id: string }>(
    `INSERT INTO actions (guild_id, operation, input, digest, state, actor_source, actor_user_id, request_id, claim_by)
     VALUES ($1, 'messages.purge', '{}', '', 'pending', 'chat', $2, 'req_waits', now() + interval '1 hour') RETURNING id`,
    api.guild.id,
    api.guild.ownerId,
  );
  const { status, body } = await stop(row?.id ?? '');
  expect([status, body.action]).toMatchObject([200, { state: 'pending', stopped_by: api.guild.ownerId }]);
});
