// What is logged of a request that fails on our side, or whose client leaves.
import { once } from 'node:events';
import { connect } from 'node:net';
import { Writable } from 'node:stream';
import { verifies } from '@bailiff/core/testing';
import { type SeededGuild, seedGuild, seedToken } from '@bailiff/engine/testing';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAppServer, listenWhenFree } from '#src/app-server.ts';
import { createDashboardApi } from '#src/dashboard-api/handler.ts';
import { createPublicApi } from '#src/public-api/handler.ts';
import { endWaiting, ORIGIN, type Person, signedIn, startTestWeb, type TestWeb } from './support.ts';
import { requestBytes } from './wire.ts';

let web: TestWeb;
let guild: SeededGuild;
let owner: Person;

beforeAll(async () => {
  web = await startTestWeb();
  guild = await seedGuild(web.db);
  owner = await signedIn(web, guild.ownerId);
});
afterAll(() => web.close());

/** A log, and the lines that it has written. */
function keptLog() {
  const lines: string[] = [];
  const write = (chunk: Buffer, _encoding: BufferEncoding, done: () => void) => {
    lines.push(...String(chunk).trim().split('\n'));
    done();
  };
  return { lines, log: pino(new Writable({ write })) };
}

/** The answer to a request of the owner, and what was logged of it, as an error and otherwise. */
async function ask(method: string, path: string) {
  const { lines, log } = keptLog();
  const api = createDashboardApi({ ...web.runtime, log });
  const headers = { Cookie: owner.cookie, Origin: ORIGIN };
  const answer = await api(new Request(`${ORIGIN}${path}`, { method, headers }), { address: '203.0.113.9' });
  const errors = lines.map((line) => JSON.parse(line)).filter(({ level }) => level >= 50);
  const answered = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 30);
  return { status: answer.status, requestId: answer.headers.get('X-Request-Id'), errors, answered };
}

test('an error on our side is one line, with the id and the path of its request', async () => {
  verifies('http.errors-logged');
  await web.db.pool.query('ALTER TABLE approval_requests RENAME TO hidden');
  const { status, requestId, errors } = await ask('GET', `/api/approvals?guild_id=${guild.id}`);
  await web.db.pool.query('ALTER TABLE hidden RENAME TO approval_requests');
  expect(status).toBe(500);
  const err = { message: expect.stringContaining('approval_requests') };
  expect(errors).toMatchObject([{ request_id: requestId, method: 'GET', path: '/api/approvals', err }]);
});

test('so is why a change was refused while the database did not answer', async () => {
  verifies('http.errors-logged');
  const { id } = await seedToken(web.db, guild);
  const holder = await web.db.pool.connect();
  await holder.query('BEGIN; LOCK TABLE tokens');
  const path = `/api/api-tokens/${id}/reauth-window`;
  const asked = ask('DELETE', path);
  await endWaiting(web.db);
  const { status, requestId, errors } = await asked;
  await holder.query('ROLLBACK');
  holder.release();
  expect(status).toBe(503);
  const err = { message: expect.stringContaining('canceling statement') };
  expect(errors).toMatchObject([{ request_id: requestId, method: 'DELETE', path, err }]);
});

test('a call whose client leaves before its body was read ends, and is logged like any other', async () => {
  verifies('http.errors-logged');
  const { secret } = await seedToken(web.db, guild);
  const { lines, log } = keptLog();
  const publicApi = createPublicApi(web.runtime.engine, log, new AbortController().signal);
  const server = createAppServer({ ...web.runtime, log, publicApi }, async () => {});
  const port = await listenWhenFree(server, { host: '127.0.0.1', port: 0, patienceMs: 0 });
  const path = `/api/public/v1/guilds/${guild.id}/strikes`;
  const holder = await web.db.pool.connect();
  try {
    await holder.query('BEGIN; LOCK TABLE tokens');
    const accepted = once(server, 'connection');
    const client = connect(port, '127.0.0.1');
    const sent = [`Authorization: Bearer ${secret}`, 'Content-Type: application/json', 'Content-Length: 100'];
    client.write(requestBytes('POST', path, sent, '{"reason":'));
    const [connection] = await accepted;
    const waiting =
      "SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted AND relation = 'tokens'::regclass";
    await expect.poll(async () => (await holder.query(waiting)).rows[0].n).toBeGreaterThan(0);
    const gone = new Promise((done) => connection.once('close', done));
    client.destroy();
    await gone;
    await holder.query('ROLLBACK');
    await expect.poll(() => lines.join('\n')).toContain(path);
  } finally {
    await holder.query('ROLLBACK');
    holder.release();
    server.close();
  }
});

test('what the caller did wrong is no error of ours, and a line that says how it was answered', async () => {
  verifies('http.errors-logged');
  const path = '/api/api-tokens/tok_0/reauth-window';
  const { status, requestId, errors, answered } = await ask('DELETE', path);
  expect([status, errors]).toEqual([404, []]);
  const line = { request_id: requestId, method: 'DELETE', path, address: '203.0.113.9', status: 404 };
  expect(answered).toMatchObject([{ ...line, duration_ms: expect.any(Number) }]);
  expect(Number.isInteger(answered[0].duration_ms)).toBe(true);
});
