import { EventEmitter, once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Listener, listen } from '#src/listen.ts';
import { createTestDatabase, listenAtLast, proxyTo, type TestDatabase } from '#src/testing.ts';

let db: TestDatabase;
let muted: Awaited<ReturnType<typeof behindMute>>;

beforeAll(async () => {
  db = await createTestDatabase({ empty: true });
  muted = await behindMute();
});

afterAll(async () => {
  await muted.close();
  await db.drop();
});

/**
 * A listener whose connection stays and says nothing any more, as behind a firewall that has forgotten it. It begins
 * before the other tests, because it is noticed only after a while.
 */
async function behindMute() {
  const events = new EventEmitter();
  const lost = once(events, 'lost');
  const back = once(events, 'back');
  const silences: string[] = [];
  const proxy = await proxyTo(db.url);
  const listener: Listener = await listenAtLast(
    proxy.url,
    ['one'],
    (_channel, payload) => void events.emit('heard', payload),
    {
      onError: (error) => events.emit('lost', error),
      onReconnect: () => events.emit('back'),
      onSilence: () => silences.push('silent'),
    },
  );
  proxy.mute();
  return {
    lost,
    back,
    events,
    silences,
    close: async () => {
      await listener.close();
      proxy.close();
    },
  };
}

const inTime = () => ({ signal: AbortSignal.timeout(120_000) });

test('a notification arrives with its channel and payload', async () => {
  const events = new EventEmitter();
  const listener = await listenAtLast(db.url, ['one', 'Two'], (channel, payload) =>
    events.emit('heard', channel, payload),
  );
  const heard = once(events, 'heard', inTime());
  await db.database.pool.query(`SELECT pg_notify('Two', 'payload')`);
  expect(await heard).toEqual(['Two', 'payload']);
  await listener.close();
});

test('a lost connection is reported, made again, and listens as before', async () => {
  const events = new EventEmitter();
  let silences = 0;
  const listener = await listenAtLast(
    db.url,
    ['one'],
    (channel, payload) => events.emit('heard', channel, payload),
    {
      applicationName: 'cut listener',
      onError: (error) => events.emit('lost', error),
      onReconnect: () => events.emit('back'),
      onSilence: () => {
        silences += 1;
      },
    },
  );
  const lost = once(events, 'lost', inTime());
  const back = once(events, 'back', inTime());
  await db.database.pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'cut listener'`,
  );
  expect(String(await lost)).toContain('terminating connection');
  await back;
  const heard = once(events, 'heard', inTime());
  await db.database.pool.query(`NOTIFY one, 'again'`);
  expect(await heard).toEqual(['one', 'again']);
  // It broke, and did not fall silent: other connections need not be as lost.
  expect(silences).toBe(0);
  await listener.close();
});

test('a notification that cannot be read is reported, and the next ones arrive', async () => {
  const events = new EventEmitter();
  const listener = await listenAtLast(
    db.url,
    ['one'],
    (_channel, payload) => events.emit('heard', JSON.parse(payload)),
    { onError: (error) => events.emit('reported', error) },
  );
  const reported = once(events, 'reported', inTime());
  const heard = once(events, 'heard', inTime());
  await db.database.pool.query(
    `SELECT pg_notify('one', payload) FROM unnest(ARRAY['no JSON', '"JSON"']) AS payload`,
  );
  expect(String(await reported)).toBe('Error: A notification on one cannot be read.');
  expect(await heard).toEqual(['JSON']);
  await listener.close();
});

test('close ends the connection', async () => {
  const listener = await listenAtLast(db.url, ['one'], () => {}, { applicationName: 'closed listener' });
  await listener.close();
  await expect
    .poll(async () => {
      const { rowCount } = await db.database.pool.query(
        `SELECT FROM pg_stat_activity WHERE application_name = 'closed listener'`,
      );
      return rowCount;
    })
    .toBe(0);
});

test('an unreachable server is an error at once', async () => {
  await expect(listen('postgresql://a:b@127.0.0.1:1/c', ['one'], () => {})).rejects.toThrow('ECONNREFUSED');
});

test('a connection on which nothing comes any more, though it stands, is made again', async () => {
  expect(String(await muted.lost)).toContain('timeout');
  await muted.back;
  expect(muted.silences).toEqual(['silent']);
  const heard = once(muted.events, 'heard', inTime());
  await db.database.pool.query(`NOTIFY one, 'after it'`);
  expect(await heard).toEqual(['after it']);
});
