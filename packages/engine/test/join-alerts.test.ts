import { verifies } from '@bailiff/core/testing';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { casesToTell, joinAlerts } from '#src/guilds/join-alerts.ts';
import { type SeededGuild, seedGuild, snowflake } from '#src/testing.ts';

let test: TestDatabase;
let guild: SeededGuild;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(async () => {
  guild = await seedGuild(test.database);
  await query("UPDATE guilds SET alerts_joins = true, log_channel_id = '834989431927603200' WHERE id = $1", [
    guild.id,
  ]);
});

const query = async (sql: string, values: unknown[] = []) =>
  (await test.database.pool.query(sql, values)).rows;

async function struck(daysAgo = 0, isOver = false): Promise<string> {
  const userId = snowflake();
  const [row] = await query(
    "SELECT id FROM open_case($1, 'strike', 'str', $2, 'Spam', $3, NULL, NULL, 'minor')",
    [guild.id, userId, guild.moderatorId],
  );
  await query(
    `UPDATE cases SET issued_at = now() - make_interval(days => $2), ended_at = CASE WHEN $3 THEN now() END WHERE id = $1`,
    [row.id, daysAgo, isOver],
  );
  return userId;
}

const joined = (...people: string[]) => {
  const alertOf = joinAlerts(test.database);
  return Promise.all(people.map((userId) => alertOf({ guildId: guild.id, userId })));
};

/** Whom posts are queued for, and none of them afterwards. */
const alerted = async () =>
  (
    await query(
      `WITH queued AS (SELECT key, payload->>'user_id' AS user_id FROM graphile_worker._private_jobs WHERE payload->>'guild_id' = $1
         AND key LIKE 'post_join:%'),
       gone AS (SELECT graphile_worker.remove_job(key) FROM queued) SELECT user_id FROM queued, gone GROUP BY 1 ORDER BY 1`,
      [guild.id],
    )
  ).map(({ user_id }) => user_id);

it('moderators are told of who has cases in force or of the last 90 days, and of nobody else', async () => {
  verifies('joins.alert');
  const [recent, lasting, old] = [await struck(89, true), await struck(400), await struck(91, true)];
  await joined(snowflake(), recent, old, lasting, guild.memberId);
  expect(await alerted()).toEqual([recent, lasting].sort());
});

it('a guild that does not ask for it, or has no log channel, is told of nobody', async () => {
  verifies('joins.alert');
  const userId = await struck();
  for (const unset of ['alerts_joins = false', 'alerts_joins = true, log_channel_id = NULL']) {
    await query(`UPDATE guilds SET ${unset} WHERE id = $1`, [guild.id]);
    await joined(userId);
    expect(await alerted()).toEqual([]);
  }
});

it('a person is told of once in 12 hours, however often they join', async () => {
  verifies('joins.alert.bounds');
  const userId = await struck();
  await joined(userId, userId);
  await joined(userId);
  expect(await alerted()).toEqual([userId]);
  await joined(userId);
  expect(await alerted()).toEqual([]);
  const after = (hours: number) =>
    query('UPDATE rate_limits SET slot_ends = ARRAY[slot_ends[1] - $2 * 3600000] WHERE key = $1', [
      `join:${guild.id}:${userId}`,
      hours,
    ]);
  await after(11);
  await joined(userId);
  expect(await alerted()).toEqual([]);
  await after(1);
  await joined(userId);
  expect(await alerted()).toEqual([userId]);
});

it('a raid of people with cases leads to ten posts and no more, in this guild only', async () => {
  verifies('joins.alert.bounds');
  const raiders: string[] = [];
  for (let n = 0; n < 25; n += 1) raiders.push(await struck());
  await joined(...raiders);
  expect(await alerted()).toHaveLength(10);
  guild = await seedGuild(test.database);
  await query("UPDATE guilds SET alerts_joins = true, log_channel_id = '834989431927603201' WHERE id = $1", [
    guild.id,
  ]);
  const elsewhere = await struck();
  await joined(elsewhere);
  expect(await alerted()).toEqual([elsewhere]);
});

it('of many cases the latest five are shown, and how many there are', async () => {
  verifies('joins.alert');
  const userId = snowflake();
  await query(
    "SELECT open_case($1, 'strike', 'str', $2, 'Spam', $3, NULL, NULL, 'minor') FROM generate_series(1, 7)",
    [guild.id, userId, guild.moderatorId],
  );
  const told = await casesToTell(test.database, { guildId: guild.id, userId });
  expect(told.map(({ case_number, total }) => [case_number, total])).toEqual(
    [7, 6, 5, 4, 3].map((n) => [n, 7]),
  );
});

it('cases that are over and older than 90 days are neither shown nor counted', async () => {
  verifies('joins.alert');
  const userId = await struck(91, true);
  await query("SELECT open_case($1, 'strike', 'str', $2, 'Again', $3, NULL, NULL, 'minor')", [
    guild.id,
    userId,
    guild.moderatorId,
  ]);
  const told = await casesToTell(test.database, { guildId: guild.id, userId });
  expect(told.map(({ reason, total }) => [reason, total])).toEqual([['Again', 1]]);
});
