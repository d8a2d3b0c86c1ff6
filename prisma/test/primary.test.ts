// Of several servers, the one that takes writes. `npm run test:failover` tries it with a standby that is promoted.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { verifies } from '@bailiff/core/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '#src/database.ts';
import { listen } from '#src/listen.ts';
import { createTestDatabase, type TestDatabase } from '#src/testing.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** A way to the database, on a port of its own. */
async function way() {
  const to = Number(new URL(database.url).port);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const there = connect(to, '127.0.0.1');
    for (const socket of [client, there]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => [client, there].forEach((each) => void each.destroy()));
    }
    client.pipe(there).pipe(client);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    /** Cuts its connections, and takes no more. */
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      if (server.listening) await once(server, 'close');
    },
  };
}

/** The address of several ports. */
function throughAll(ways: readonly { port: number }[], more = ''): string {
  const { username, password, pathname } = new URL(database.url);
  const hosts = ways.map(({ port }) => `127.0.0.1:${port}`).join(',');
  return `postgresql://${username}:${password}@${hosts}${pathname}${more}`;
}

test('what is open goes on over another server when the first is lost: queries, Prisma and notifications', async () => {
  verifies('ops.database.failover');
  const [gone, lost, kept] = [await way(), await way(), await way()];
  await gone.close();
  const url = throughAll([gone, lost], '?target_session_attrs=read-write');
  const db = openDatabase(throughAll([lost, kept]), { applicationName: 'primary test', max: 2 });
  const heard: string[] = [];
  const back = Promise.withResolvers<void>();
  const listener = await listen(
    throughAll([lost, kept]),
    ['there'],
    (_channel, text) => void heard.push(text),
    {
      onReconnect: back.resolve,
    },
  );
  const other = openDatabase(url, { applicationName: 'primary test', max: 1 });
  expect((await other.pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  await db.pool.query('SELECT 1');
  await db.prisma.guild.count();

  await lost.close();
  await expect
    .poll(
      () =>
        db.pool.query('SELECT 1').then(
          () => true,
          () => false,
        ),
      { timeout: 20_000 },
    )
    .toBe(true);
  expect(await db.prisma.guild.count()).toBe(0);
  await back.promise;
  await db.pool.query("NOTIFY there, 'again'");
  await expect.poll(() => heard).toEqual(['again']);
  const refusal = await other.pool.query('SELECT 1').catch((error: NodeJS.ErrnoException) => error);
  expect(refusal).toMatchObject({ code: expect.stringMatching(/^(57P03|ECONN)/) });
  await Promise.all([listener.close(), db.close(), other.close(), kept.close()]);
});

test('a wrong login is told as such, and a list without any server with the reason of each', async () => {
  verifies('ops.database.failover');
  const [one, none] = [await way(), await way()];
  await none.close();
  const url = new URL(throughAll([one], '?target_session_attrs=primary'));
  url.username = 'nobody';
  const refused = openDatabase(url.href, { applicationName: 'primary test', max: 1 });
  await expect(refused.pool.query('SELECT 1')).rejects.toMatchObject({ code: expect.stringMatching(/^28/) });
  const away = openDatabase(throughAll([none, none]), { applicationName: 'primary test', max: 1 });
  await expect(away.pool.query('SELECT 1')).rejects.toMatchObject({
    code: '57P03',
    message: expect.stringMatching(/takes writes: .*ECONNREFUSED.*; .*ECONNREFUSED/),
  });
  await Promise.all([refused.close(), away.close(), one.close()]);
});
