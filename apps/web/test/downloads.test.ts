import { expect, test } from 'vitest';
import { download } from '#src/dashboard-api/downloads.ts';

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
