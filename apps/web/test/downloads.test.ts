import type { Database } from '@bailiff/prisma';
import { expect, onTestFinished, test, vi } from 'vitest';
import { beginOnly, download, requireTurn } from '#src/dashboard-api/downloads.ts';

test('a download that its reader gives up is over at once, and nothing more is read for it', async () => {
  let isRead = true;
  async function* lines() {
    try {
      for (;;) yield 'one line\n';
    } finally {
      isRead = false;
    }
  }
  let ends = 0;
  const onEnd = () => {
    ends += 1;
  };
  const { body } = download(lines(), { name: 'a.csv', type: 'text/csv', mayGoOn: async () => {} }, onEnd);
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  await new Promise(setImmediate); // the next line waits to be read
  expect([ends, isRead]).toEqual([0, true]);
  await reader.cancel();
  expect([ends, isRead]).toEqual([1, false]);
});

test('an export goes on as long as its reader reads, however long it takes, and breaks off when nobody reads for half an hour', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  async function* lines() {
    for (;;) {
      // Each takes longer to make than one may wait to be read.
      vi.advanceTimersByTime(31 * 60_000);
      yield 'one line\n';
    }
  }
  let ends = 0;
  const { body } = download(lines(), { name: 'a.csv', type: 'text/csv', mayGoOn: async () => {} }, () => {
    ends += 1;
  });
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  for (let read = 0; read < 4; read += 1) {
    await new Promise(setImmediate); // the next line waits to be read
    vi.advanceTimersByTime(29 * 60_000);
    expect((await reader.read()).done).toBe(false);
  }
  expect(ends).toBe(0);
  await new Promise(setImmediate);
  vi.advanceTimersByTime(30 * 60_000);
  await expect(reader.read()).rejects.toThrow('The export was not read in time.');
  expect(ends).toBe(1);
});

test('an export that is given up while a part of it is made does not end the turn of the next one', async () => {
  const db = { pool: {} } as Database;
  const begin = (lines: AsyncGenerator<string>) => {
    const end = beginOnly(db, 'a person', 'a guild');
    const { body } = download(lines, { name: 'a.csv', type: 'text/csv', mayGoOn: async () => {} }, end);
    return (body as ReadableStream<Uint8Array>).getReader();
  };
  const made = Promise.withResolvers<void>();
  async function* slowLines() {
    await made.promise;
    yield 'one line\n';
  }
  async function* lines() {
    for (;;) yield 'one line\n';
  }
  const givenUp = begin(slowLines());
  await new Promise(setImmediate); // its first part is being made
  const cancelled = givenUp.cancel();
  const next = begin(lines());
  made.resolve();
  await cancelled;
  await new Promise(setImmediate); // its part is there, and nobody takes it
  expect(() => requireTurn(db, 'a person', 'a guild')).toThrow('An export of yours is still running');
  await next.cancel();
  requireTurn(db, 'a person', 'a guild');
});
