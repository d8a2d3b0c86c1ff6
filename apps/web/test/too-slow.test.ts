import { TooManyRows } from '@bailiff/engine/audit/audit-looks';
import { expect, it } from 'vitest';
import { isTooSlow } from '#src/too-slow.ts';
import { startTestWeb } from './support.ts';

it('a list for which too many rows are looked at is told from one that failed', async () => {
  expect(isTooSlow(new TooManyRows())).toBe(true);
  expect(isTooSlow(new Error('Something else'))).toBe(false);
  const web = await startTestWeb();
  const slow = web.db.pool.query(`SET statement_timeout = 1; SELECT pg_sleep(5)`);
  expect(isTooSlow(await slow.catch((error: unknown) => error))).toBe(true);
  await web.close();
});
