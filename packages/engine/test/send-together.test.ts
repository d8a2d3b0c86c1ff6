import { verifies } from '@bailiff/core/testing';
import { openDatabase } from '@bailiff/prisma';
import { createTestDatabase, LONG_LIMITS, proxyTo } from '@bailiff/prisma/testing';
import { expect, test } from 'vitest';
import { patience } from '#src/database/database-errors.ts';
import { together } from '#src/database/send-together.ts';

test('after a read from a database that went silent the next one is sent over a new connection', async () => {
  verifies('ops.database.failover');
  const { url, drop } = await createTestDatabase();
  const proxy = await proxyTo(url);
  const db = openDatabase(proxy.url, { ...LONG_LIMITS, applicationName: 'reader', max: 1 });
  const read = (limits: { query_timeout?: number } = {}) =>
    together(db, patience(120_000)).query({ text: 'SELECT 1 AS one', ...limits });
  try {
    await read();
    proxy.mute();
    await expect(read({ query_timeout: 1 })).rejects.toThrow('timeout');
    expect((await read()).rows).toEqual([{ one: 1 }]);
  } finally {
    await db.close();
    proxy.close();
    await drop();
  }
});
