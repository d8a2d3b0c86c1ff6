import { verifies } from '@bailiff/core/testing';
import { createTestDatabase } from '@bailiff/prisma/testing';
import { expect, it } from 'vitest';
import { startRuntime } from '#src/start-runtime.ts';
import { testConfig } from './support.ts';

it('nobody waits for the database longer than the two seconds in which a caller must know', async () => {
  verifies('G6');
  const { processUrls, drop } = await createTestDatabase();
  const { db, close } = await startRuntime(testConfig({ DATABASE_URL: processUrls.web }));
  for (const { options } of [db.pool, db.reads]) {
    expect(options).toMatchObject({ statement_timeout: 1_500, query_timeout: 2_000 });
    expect(options.connectionTimeoutMillis).toBeLessThanOrEqual(2_000);
  }
  await close();
  await drop();
});
