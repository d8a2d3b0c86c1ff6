import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';
import { seedToken, seedWindow } from '@bailiff/engine/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ALL_NOTHING, type PublicApiHarness, sentinel, startPublicApi } from './harness.ts';

/** A proxy in front of the database that counts round trips. */
async function startCounter(databaseUrl: string) {
  const { hostname, port } = new URL(databaseUrl);
  let trips = 0;
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ host: hostname, port: Number(port), noDelay: true });
    let hasAnswered = true;
    client.on('data', (chunk) => {
      if (hasAnswered) trips += 1;
      hasAnswered = false;
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      hasAnswered = true;
      client.write(chunk);
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const through = new URL(databaseUrl);
  through.hostname = '127.0.0.1';
  through.port = String((server.address() as AddressInfo).port);
  return {
    url: through.href,
    during: async (work: () => Promise<unknown>): Promise<number> => {
      const before = trips;
      await work();
      return trips - before;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

let counter: Awaited<ReturnType<typeof startCounter>>;
let api: PublicApiHarness;

beforeAll(async () => {
  api = await startPublicApi({
    performers: ALL_NOTHING,
    through: async (url) => {
      counter = await startCounter(url);
      return counter.url;
    },
  });
});
afterAll(async () => {
  await api.close();
  await counter.close();
});

/** Calls once to open connections, and counts the second call. */
async function tripsOf(call: () => Promise<{ status: number }>): Promise<{ status: number; trips: number }> {
  await call();
  let status = 0;
  const trips = await counter.during(async () => {
    status = (await call()).status;
  });
  return { status, trips };
}

it.each([
  ['/me', () => api.call('/me')],
  ['/strikes', () => api.inGuild('/strikes?limit=10')],
  ['/members/{userId}', () => api.inGuild(`/members/${api.guild.memberId}`)],
  ['/audit', () => api.inGuild('/audit')],
])('GET %s takes 3 round trips to the database', async (_path, call) => {
  expect(await tripsOf(call)).toEqual({ status: 200, trips: 3 });
});

it('GET /actions/{actionId}, whose capability is that of the action, takes no more', async () => {
  const token = await seedToken(api.database, api.guild);
  await seedWindow(api.database, api.guild, token);
  const input = { user_id: api.guild.memberId, severity: 'minor', reason: 'counted' };
  const body = { ...input, _confirmation: sentinel('strikes.add', api.guild, input) };
  await api.inGuild('/strikes', { method: 'POST', body, token });
  const { rows } = await api.database.pool.query('SELECT id FROM actions LIMIT 1');
  expect(await tripsOf(() => api.inGuild(`/actions/${rows[0].id}`))).toEqual({ status: 200, trips: 3 });
});

it('a strike takes 5, its effect included', async () => {
  const token = await seedToken(api.database, api.guild);
  await seedWindow(api.database, api.guild, token);
  const input = { user_id: api.guild.memberId, severity: 'minor', reason: 'counted' };
  const body = { ...input, _confirmation: sentinel('strikes.add', api.guild, input) };
  const call = () => api.inGuild('/strikes', { method: 'POST', body, token });
  expect(await tripsOf(call)).toEqual({ status: 201, trips: 5 });
});

it('submitting a ban takes 3, and 1 more to read how it ended', async () => {
  const token = await seedToken(api.database, api.guild);
  await seedWindow(api.database, api.guild, token);
  const input = { user_id: api.guild.memberId, reason: 'counted' };
  const body = { ...input, _confirmation: sentinel('bans.add', api.guild, input) };
  const call = () => api.inGuild('/bans', { method: 'POST', body, token });
  expect(await tripsOf(call)).toEqual({ status: 201, trips: 4 });
});
