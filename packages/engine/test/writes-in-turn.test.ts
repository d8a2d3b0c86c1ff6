import { callOf } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newRequestId } from '#src/calls/request-id.ts';
import { performForPerson } from '#src/calls/write-call.ts';
import { createWaiters } from '#src/database/waiters.ts';
import { giveTime, type SeededGuild, seedGuild } from '#src/testing.ts';

let database: TestDatabase;

beforeAll(() => giveTime('database'));
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

function strike(guild: SeededGuild) {
  const engine = { db: database.database, waiters: createWaiters(), dashboardUrl: 'http://localhost:3000' };
  return performForPerson(engine, {
    ...callOf('strikes.add', { user_id: guild.memberId, reason: 'Spam', severity: 'minor' }),
    guildId: guild.id,
    actor: { source: 'dashboard', userId: guild.ownerId },
    requestId: newRequestId(),
    address: null,
  });
}

/** How many connections wait for a lock. */
const WAITING = `SELECT count(*)::int AS count FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;

test("writes of one guild that wait for each other leave connections for another guild's", async () => {
  verifies('bot.fairness');
  const loud = await seedGuild(database.database);
  const quiet = await seedGuild(database.database);
  await Promise.all([strike(loud), strike(quiet)]);
  // With connections of their own: the statements of the pool have deadlines.
  const [holder, looker] = [new pg.Client(database.url), new pg.Client(database.url)];
  await Promise.all([holder.connect(), looker.connect()]);
  await holder.query('BEGIN');
  await holder.query('SELECT FROM guild_counters WHERE guild_id = $1 FOR UPDATE', [loud.id]);
  const waiting = Array.from({ length: 100 }, () => strike(loud).catch((error: unknown) => error));
  const count = async () => (await looker.query<{ count: number }>(WAITING)).rows[0]?.count ?? 0;
  await expect.poll(count).toBeGreaterThan(0);
  let isDone = false;
  const other = strike(quiet).finally(() => {
    isDone = true;
  });
  let most = 0;
  while (!isDone) most = Math.max(most, await count());
  expect((await other).status).toBe(201);
  expect(most).toBeLessThanOrEqual(2);
  await holder.query('COMMIT');
  await Promise.all([...waiting, holder.end(), looker.end()]);
});
