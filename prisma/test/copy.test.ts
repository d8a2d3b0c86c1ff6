import { expect, onTestFinished, test } from 'vitest';
import { copyOut } from '#src/backup/copy.ts';
import { clientTo } from '#src/primary.ts';
import { createTestDatabase } from '#src/testing.ts';

test('while nobody reads the rows of a table, the server waits, and memory does not fill with them', async () => {
  const { database, url, drop } = await createTestDatabase({ empty: true });
  onTestFinished(() => drop());
  const client = clientTo(url, { application_name: 'copying' });
  await client.connect();
  const rows = copyOut(client, "COPY (SELECT repeat('x', 1000) FROM generate_series(1, 100000)) TO STDOUT");
  // A reader that has begun, and is busy with what it got.
  const pieces = rows[Symbol.asyncIterator]();
  let bytes = ((await pieces.next()).value as Buffer).length;
  const waits = async () => {
    const found = await database.pool.query<{ wait_event: string }>(
      "SELECT wait_event FROM pg_stat_activity WHERE application_name = 'copying' AND state = 'active'",
    );
    return found.rows[0]?.wait_event;
  };
  await expect.poll(waits).toBe('ClientWrite');
  expect(rows.readableLength).toBeLessThan(1024 * 1024);
  expect(rows.rows).toBeLessThan(100_000);
  for await (const piece of pieces) bytes += (piece as Buffer).length;
  expect([rows.rows, bytes]).toEqual([100_000, 100_100_000]);
  await client.end();
});
