// Of several servers, the one that takes writes. `npm run test:failover` tries it with a standby that is promoted.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { untilClosed, verifies } from '@bailiff/core/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openDatabase } from '#src/database.ts';
import { listen } from '#src/listen.ts';
import { createTestDatabase, type TestDatabase } from '#src/testing.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  // The clock stands: each server is asked whether it takes writes for a second and a half, and a pool waits for two.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterAll(async () => {
  vi.useRealTimers();
  await database.drop();
});

/**
 * A way to the database, on a port of its own.
 *
 * @param says what the server's answers are changed to, as latin1: what another server would say in its place
 */
async function way(says: (answer: string) => string = (answer) => answer) {
  const to = Number(new URL(database.url).port);
  const sockets = new Set<Socket>();
  let asked = '';
  const server = createServer((client) => {
    const there = connect(to, '127.0.0.1');
    client.on('data', (bytes: Buffer) => {
      asked += bytes.toString('latin1');
    });
    for (const socket of [client, there]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => [client, there].forEach((each) => void each.destroy()));
    }
    client.pipe(there);
    there.on('data', (bytes: Buffer) => client.write(Buffer.from(says(bytes.toString('latin1')), 'latin1')));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    /** Whether a query with these words went this way. */
    wasAsked: (words: string) => asked.includes(words),
    /** Takes no more connections; those that it has stay. */
    refuse: () => void server.close(),
    /** Takes connections again, on the same port. */
    open: async () => {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    /** Cuts its connections, and takes no more. */
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      if (server.listening) await once(server, 'close');
      await untilClosed(port);
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
    .poll(() =>
      db.pool.query('SELECT 1').then(
        () => true,
        () => false,
      ),
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

/** A server that was promoted so often: the name of each segment of its log begins with that, in hexadecimal digits. */
const promoted = (timeline: string) => (answer: string) =>
  answer.replace(/[0-9A-F]{8}(?=[0-9A-F]{16}\x43)/, timeline.padStart(8, '0'));

test('of two servers that take writes it is the one that was promoted last, and never one from before', async () => {
  verifies('ops.database.failover');
  const [before, last] = [await way(promoted('9')), await way(promoted('A'))];
  const db = openDatabase(throughAll([before, last]), { applicationName: 'primary test', max: 1 });
  await db.pool.query('SELECT 1 AS chosen');
  expect([before.wasAsked('AS chosen'), last.wasAsked('AS chosen')]).toEqual([false, true]);
  await last.close();
  // What it took since then is not there.
  const refusal = async () =>
    db.pool.query('SELECT 1 AS chosen').then(
      () => 'It answered.',
      ({ message }: Error) => message,
    );
  await expect.poll(refusal).toMatch(/takes writes: .*was replaced/);
  expect(before.wasAsked('AS chosen')).toBe(false);
  await Promise.all([db.close(), before.close()]);
});

test('what is still connected to a server that was replaced is cut off from it', async () => {
  verifies('ops.database.failover');
  const [before, last] = [await way(promoted('1')), await way(promoted('2'))];
  await last.close();
  const db = openDatabase(throughAll([before, last]), { applicationName: 'primary test', max: 2 });
  const held = await db.pool.connect();
  held.on('error', () => {});
  expect((await held.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  before.refuse();
  await last.open();
  await expect
    .poll(() =>
      db.pool.query('SELECT 1').then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
  await expect(held.query('SELECT 1')).rejects.toThrow();
  held.release(true);
  await Promise.all([db.close(), before.close(), last.close()]);
});

test('a server that has become a standby since it was last asked gets no query', async () => {
  verifies('ops.database.failover');
  let isStandby = false;
  const asStandby = (answer: string) =>
    answer.replace('\x17in_hot_standby\0off\0', '\x16in_hot_standby\0on\0');
  const only = await way((answer) => (isStandby ? asStandby(answer) : answer));
  const url = throughAll([only], '?target_session_attrs=read-write');
  const db = openDatabase(url, { applicationName: 'primary test', max: 2 });
  const held = await db.pool.connect();
  isStandby = true;
  await expect(db.pool.query('SELECT 1 AS written')).rejects.toMatchObject({
    code: '57P03',
    message: expect.stringContaining('is a standby'),
  });
  expect(only.wasAsked('AS written')).toBe(false);
  held.release();
  await Promise.all([db.close(), only.close()]);
});
