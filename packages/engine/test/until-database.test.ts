import { connect, createServer } from 'node:net';
import { freePort, verifies } from '@bailiff/core/testing';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { untilDatabase } from '#src/database/until-database.ts';

let own: TestDatabase;

beforeAll(async () => {
  own = await createTestDatabase();
});
afterAll(() => own.drop());

/** The way to the database through another port, where nobody listens until `open`. */
async function door() {
  const target = new URL(own.url);
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) socket.on('error', () => socket.destroy());
  });
  const port = await freePort();
  const url = new URL(own.url);
  url.host = `127.0.0.1:${port}`;
  return { url: url.href, open: () => server.listen(port, '127.0.0.1'), close: () => server.close() };
}

test('a process that starts while its database is away waits for it', async () => {
  verifies('ops.recovery');
  const { url, open, close } = await door();
  const waits = Promise.withResolvers<unknown>();
  const answered = untilDatabase(url, { onWait: waits.resolve });
  expect(await waits.promise).toMatchObject({ code: 'ECONNREFUSED' });
  open();
  await answered;
  close();
});

test('what waiting does not mend is said at once', async () => {
  const url = new URL(own.url);
  url.pathname = '/no_such_database';
  const waited: unknown[] = [];
  await expect(untilDatabase(url.href, { onWait: (error) => waited.push(error) })).rejects.toMatchObject({
    code: '3D000',
  });
  expect(waited).toEqual([]);
});

test('a stop ends the wait', async () => {
  const { url } = await door();
  const stop = new AbortController();
  const wait = untilDatabase(url, { signal: stop.signal, onWait: () => stop.abort() });
  await expect(wait).rejects.toThrow();
});
