import { verifies } from '@bailiff/core/testing';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { holdConversationTurns, takeConversationTurn } from '#src/cases/direct-channels.ts';

let test: TestDatabase;
beforeEach(async () => {
  test = await createTestDatabase();
});
afterEach(() => test.drop());

const HOUR_MS = 3_600_000;
/** Two turns at once, and the next one after an hour. */
const take = () => takeConversationTurn(test.database, [{ key: 'conversations', most: 2, everyMs: HOUR_MS }]);
const hold = (ms: number) => holdConversationTurns(test.database, ms);
/** What was written is so much younger, as if the clock had been set back by that. Older if it is negative. */
const setClockBack = (ms: number) =>
  test.database.pool.query('UPDATE rate_limits SET expire = expire + $1::bigint', [ms]);

it('whom Discord quarantines for an hour opens no conversation although it refuses another for seconds only', async () => {
  verifies('H30', 'notices.held');
  await hold(HOUR_MS);
  await hold(5_000);
  await setClockBack(-60_000);
  expect(await take()).toBe(false);
  await setClockBack(-HOUR_MS);
  expect(await take()).toBe(true);
});

it('after the clock was set back people are told again, one at first', async () => {
  verifies('H10', 'H30');
  expect([await take(), await take(), await take()]).toEqual([true, true, false]);
  await setClockBack(100 * HOUR_MS);
  expect([await take(), await take()]).toEqual([true, false]);
});

it('a hold from before the clock was set back keeps no conversation from being opened', async () => {
  verifies('H10', 'H30');
  await hold(HOUR_MS);
  await setClockBack(100 * HOUR_MS);
  expect(await take()).toBe(true);
});
