// The client against the real public API on a real socket, with a proxy between them that loses answers.
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BailiffClient, BailiffError } from '@bailiff/client';
import {
  type SeededGuild,
  type SeededToken,
  seedGuild,
  seedToken,
  seedWindow,
} from '@bailiff/engine/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { serve, startTestWeb, type TestServer, type TestWeb } from '#test/support.ts';

let web: TestWeb;
let server: TestServer;
let proxy: Server;
let guild: SeededGuild;
let token: SeededToken;
let client: BailiffClient;
/** How many of the next answers the proxy drops. It closes the connection when the answer begins, after the commit. */
let answersToLose = 0;

beforeAll(async () => {
  web = await startTestWeb();
  server = await serve(web);
  proxy = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const onward = request({ host: '127.0.0.1', port: server.port, method, path, headers }, (answer) => {
      if (answersToLose > 0) {
        answersToLose -= 1;
        incoming.socket.destroy();
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
});
afterAll(async () => {
  proxy.closeAllConnections();
  proxy.close();
  server.close();
  await web.close();
});
beforeEach(async () => {
  guild = await seedGuild(web.db);
  token = await seedToken(web.db, guild);
  client = new BailiffClient({
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    token: token.secret,
    environment: { sleep: async () => {} },
  });
});

const strike = () => ({
  user_id: guild.memberId,
  severity: 'minor' as const,
  reason: 'Sang in the library',
  _confirmation: `ADD STRIKE TO USER ${guild.memberId} IN GUILD ${guild.id} SEVERITY MINOR`,
});

test('a strike whose answer is lost twice is given once, and the caller gets its answer', async () => {
  await seedWindow(web.db, guild, token);
  await client.call('bans.list'); // it requests the token's guild
  answersToLose = 2;
  const { body, status, isReplay, requestId } = await client.send('strikes.add', strike(), {});
  expect([status, isReplay, answersToLose]).toEqual([201, true, 0]);
  expect(requestId).toMatch(/^req_/);
  const { data } = await client.call('strikes.list', { user_id: guild.memberId });
  expect(data.map(({ id }) => id)).toEqual([body.strike_id]);
});

test('two calls are two strikes', async () => {
  await seedWindow(web.db, guild, token);
  await client.call('strikes.add', strike());
  await client.call('strikes.add', strike());
  expect((await client.call('strikes.list')).data).toHaveLength(2);
});

test('a call without a window says where to approve it, and one with another sentence what it should say', async () => {
  const early = await failureOf(client.call('strikes.add', strike()));
  expect(early).toMatchObject({
    code: 'RE_AUTH_REQUIRED',
    status: 403,
    retryable: false,
    mayHaveHappened: false,
  });
  expect(early.is('RE_AUTH_REQUIRED') && early.details?.reauth_url).toContain(
    `/guilds/${guild.id}/approvals`,
  );
  await seedWindow(web.db, guild, token);
  const wrong = await failureOf(client.call('strikes.add', { ...strike(), _confirmation: 'ADD STRIKE' }));
  expect(wrong.is('INVALID_CONFIRMATION') && wrong.details?.expected_concrete).toBe(strike()._confirmation);
});

test('a list is read to its end', async () => {
  for (let n = 0; n < 5; n += 1) await client.call('mutes.list');
  const rows = [];
  for await (const row of client.list('audit.list', { actor_source: 'token', limit: 2 })) rows.push(row.id);
  const { data } = await client.call('audit.list', { actor_source: 'token', limit: 100 });
  expect(rows.length).toBeGreaterThanOrEqual(5);
  expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining(rows));
  expect(new Set(rows).size).toBe(rows.length);
});

test('an invalid token gets an error with the request’s id', async () => {
  const stranger = new BailiffClient({
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    token: `svcpat_${'0'.repeat(48)}`,
  });
  const error = await failureOf(stranger.call('me'));
  expect(error).toMatchObject({ code: 'UNAUTHORIZED', status: 401, details: { reason: 'TOKEN_INVALID' } });
  expect(error.requestId).toMatch(/^req_/);
});

async function failureOf(call: Promise<unknown>): Promise<BailiffError> {
  const error = await call.catch((reason: unknown) => reason);
  if (error instanceof BailiffError) return error;
  throw new Error('The call did not fail with a BailiffError.', { cause: error });
}
