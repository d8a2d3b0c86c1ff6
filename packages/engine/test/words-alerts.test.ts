import { verifies } from '@bailiff/core/testing';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import {
  type WatchedGuild,
  type WatchedShards,
  watchedPeople,
  wordsKeeper,
} from '#src/guilds/words-alerts.ts';
import { type SeededGuild, seedGuild, snowflake } from '#src/testing.ts';
import { dropLapsed } from '#src/worker/housekeeping.ts';

let test: TestDatabase;
let guild: SeededGuild;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(async () => {
  guild = await seedGuild(test.database);
  await query(
    `UPDATE guilds SET alerts_quiet_days = 7, log_channel_id = '834989431927603200',
       words_seen_from = now() - interval '100 days', words_seen_until = now() WHERE id = $1`,
    [guild.id],
  );
});

const query = async (sql: string, values: unknown[] = []) =>
  (await test.database.pool.query(sql, values)).rows;

/**
 * Somebody with a case that is `caseAge` days old, whose last message was noted `silence` days ago; null: none was. Each is
 * a minute more, for a time that is kept may be rounded up to a millisecond that is still to come.
 */
async function known(silence: number | null, caseAge = 30): Promise<string> {
  const userId = snowflake();
  const [row] = await query(
    "SELECT id FROM open_case($1, 'strike', 'str', $2, 'Spam', $3, NULL, NULL, 'minor')",
    [guild.id, userId, guild.moderatorId],
  );
  await query('UPDATE cases SET issued_at = now() - make_interval(days => $2, mins => 1) WHERE id = $1', [
    row.id,
    caseAge,
  ]);
  if (silence !== null) {
    await query('INSERT INTO last_words VALUES ($1, $2, now() - make_interval(hours => $3, mins => 1))', [
      guild.id,
      userId,
      Math.round(silence * 24),
    ]);
  }
  return userId;
}

function wrote(...people: string[]): Promise<unknown> {
  const note = wordsKeeper(test.database);
  return Promise.all(
    people.map((userId) =>
      note({ guildId: guild.id, userId, channelId: '834989431927603201', messageId: snowflake() }),
    ),
  );
}

async function watchedOf(shards: Partial<WatchedShards>): Promise<WatchedGuild[]> {
  const guilds: WatchedGuild[] = [];
  const all = { shardIds: [0], shardCount: 1, guildIds: null, ...shards };
  for await (const watched of watchedPeople(test.database, all)) guilds.push(watched);
  return guilds;
}

const watched = async () => {
  const [people] = await watchedOf({ guildIds: [guild.id] });
  return people?.userIds.toSorted();
};

/** Who posts are queued about, with the days that they say, and none of them afterwards. */
const alerted = async () =>
  Object.fromEntries(
    (
      await query(
        `WITH queued AS (SELECT key, payload FROM graphile_worker._private_jobs WHERE payload->>'guild_id' = $1
           AND key LIKE 'post_words:%'),
         gone AS (SELECT graphile_worker.remove_job(key) FROM queued)
         SELECT DISTINCT payload->>'user_id' AS user_id, (payload->>'days')::int AS days FROM queued, gone`,
        [guild.id],
      )
    ).map(({ user_id, days }) => [user_id, days]),
  );

const notedOf = (userId: string) => query('SELECT written_at FROM last_words WHERE user_id = $1', [userId]);
const rowsOf = async (userId: string) =>
  (await query('SELECT written_at FROM last_words WHERE user_id = $1', [userId])).length;

it('moderators are told of who writes after so many days, and of nobody who wrote or got a case since', async () => {
  verifies('words.alert');
  const [long, silent, short, struckSince] = [
    await known(8.1),
    await known(null, 20),
    await known(7.9),
    await known(null, 7),
  ];
  await wrote(long, silent, short, struckSince, snowflake());
  expect(await alerted()).toEqual({ [long]: 7, [silent]: 19 });
});

it('a guild that does not ask for it, or has no log channel, is told of nobody, and nothing is kept', async () => {
  verifies('words.alert');
  for (const unset of ['alerts_quiet_days = NULL', 'alerts_quiet_days = 7, log_channel_id = NULL']) {
    await query(`UPDATE guilds SET ${unset} WHERE id = $1`, [guild.id]);
    const userId = await known(null);
    await wrote(userId);
    expect([await alerted(), await rowsOf(userId), await watched()]).toEqual([{}, 0, []]);
  }
});

it.each([
  [0.9, false],
  [1.1, true],
])('a message %s days after the one that was noted is noted: %s', async (silence, isNoted) => {
  const userId = await known(silence);
  const writtenAt = async () =>
    (await query('SELECT written_at FROM last_words WHERE user_id = $1', [userId]))[0]?.written_at.getTime();
  const before = await writtenAt();
  await wrote(userId);
  expect((await writtenAt()) > before).toBe(isNoted);
});

it('a message is noted and told of once, however many bots see it and however often somebody writes', async () => {
  verifies('words.alert.bounds');
  const [userId, nobody] = [await known(40), snowflake()];
  await Promise.all([wrote(userId, userId, nobody), wrote(userId), wrote(nobody, userId)]);
  expect(await alerted()).toEqual({ [userId]: 39 });
  const kept = await query('SELECT written_at FROM last_words WHERE user_id = $1', [userId]);
  await wrote(userId);
  expect(await alerted()).toEqual({});
  expect(await query('SELECT written_at FROM last_words WHERE user_id = $1', [userId])).toEqual(kept);
  expect(await rowsOf(nobody)).toBe(0);
});

it('two bots that see somebody’s first message at once count it as one post', async () => {
  verifies('words.alert.bounds');
  const userId = await known(null);
  const note = `SELECT note_words(ARRAY['${guild.id}'], ARRAY['${userId}'], ARRAY['834989431927603201'], ARRAY['1'])`;
  const first = await test.database.pool.connect();
  await first.query('BEGIN');
  await first.query(note);
  const second = query(note);
  const waits =
    "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'SELECT note_words%'";
  await expect.poll(() => query(waits)).toHaveLength(1);
  await first.query('COMMIT');
  first.release();
  await second;
  const counted = await query('SELECT points FROM rate_limits WHERE key = $1', [`words:${guild.id}`]);
  expect([await alerted(), counted]).toEqual([{ [userId]: 29 }, [{ points: 1 }]]);
});

it('only people with cases of whom no message was noted for a day are watched', async () => {
  verifies('words.alert.bounds');
  const [today, before, silent] = [await known(0.9), await known(1.1), await known(null)];
  const old = await known(null, 91);
  await query('UPDATE cases SET ended_at = now() WHERE user_id = $1', [old]);
  // What somebody wrote in another guild says nothing of this one.
  const elsewhere = await seedGuild(test.database);
  await query('INSERT INTO last_words VALUES ($1, $2, now())', [elsewhere.id, silent]);
  expect(await watched()).toEqual([before, silent].sort());
  const notedToday = await notedOf(today);
  expect(notedToday).toHaveLength(1);
  // Another bot may still watch who is watched here no more.
  await wrote(before, today);
  expect(await watched()).toEqual([silent]);
  expect(await notedOf(today)).toEqual(notedToday);
  expect(await watchedOf({ shardIds: [1], guildIds: [guild.id] })).toEqual([]);
});

it('many who come back at once lead to ten posts and no more', async () => {
  verifies('words.alert.bounds');
  const people = await Promise.all(Array.from({ length: 25 }, () => known(30)));
  await wrote(...people);
  expect(Object.keys(await alerted())).toHaveLength(10);
});

it('silence counts anew after the bot was away for more than a day, and from when it is switched on', async () => {
  verifies('words.alert.bounds');
  const seen = async () =>
    (
      await query('SELECT words_seen_from > now() - interval $$1 hour$$ AS anew FROM guilds WHERE id = $1', [
        guild.id,
      ])
    )[0]?.anew;
  await query(`INSERT INTO gateway_shards (shard_id, shard_count, bot_user_id, heartbeat_at) VALUES (0, 1, '1', now())
    ON CONFLICT (shard_id) DO UPDATE SET heartbeat_at = now()`);
  const away = (hours: number) =>
    query('UPDATE guilds SET words_seen_until = now() - make_interval(hours => $2) WHERE id = $1', [
      guild.id,
      hours,
    ]);
  await away(23);
  await watched();
  expect(await seen()).toBe(false);
  await away(25);
  const early = await known(40);
  await wrote(early);
  await watched();
  expect(await seen()).toBe(true);
  await wrote(await known(40), await known(null));
  expect(await alerted()).toEqual({});
  await query('UPDATE guilds SET alerts_quiet_days = NULL WHERE id = $1', [guild.id]);
  await watched();
  expect(await seen()).toBe(null);
});

it('while the bot is not connected, no message counts as seen', async () => {
  verifies('words.alert.bounds');
  await query(`INSERT INTO gateway_shards (shard_id, shard_count, bot_user_id, heartbeat_at)
    VALUES (0, 1, '1', now() - interval '10 minutes')
    ON CONFLICT (shard_id) DO UPDATE SET heartbeat_at = excluded.heartbeat_at`);
  const seenUntil = `SELECT words_seen_until FROM guilds WHERE id = $1`;
  await query("UPDATE guilds SET words_seen_until = now() - interval '23 hours' WHERE id = $1", [guild.id]);
  const before = await query(seenUntil, [guild.id]);
  await watched();
  expect(await query(seenUntil, [guild.id])).toEqual(before);
});

it('nobody is watched in a guild that the bot has left', async () => {
  verifies('words.alert.bounds');
  const userId = await known(null);
  expect(await watched()).toEqual([userId]);
  await query('UPDATE guilds SET left_at = now() WHERE id = $1', [guild.id]);
  expect(await watchedOf({ guildIds: [guild.id] })).toEqual([]);
});

it('the people of many guilds are read in pages, each guild once', async () => {
  verifies('words.alert.bounds');
  const guilds = new Map<string, string>();
  for (let count = 0; count < 25; count += 1) {
    guild = await seedGuild(test.database);
    await query(
      `UPDATE guilds SET alerts_quiet_days = 7, log_channel_id = '834989431927603200' WHERE id = $1`,
      [guild.id],
    );
    guilds.set(guild.id, await known(null));
  }
  const pages = await watchedOf({ guildIds: [...guilds.keys()] });
  expect(pages.map(({ guildId, userIds }) => [guildId, ...userIds])).toEqual([...guilds].sort());
});

it('a time is kept for 92 days, and only while the guild wants to know', async () => {
  verifies('words.alert.bounds');
  const [lapsed, lasting] = [await known(92.1, 200), await known(91.9, 200)];
  await query("UPDATE guilds SET words_seen_from = now() - interval '300 days' WHERE id = $1", [guild.id]);
  await dropLapsed(test.database);
  expect([await rowsOf(lapsed), await rowsOf(lasting)]).toEqual([0, 1]);
  // What is not kept is not claimed.
  await wrote(lapsed, lasting);
  expect(await alerted()).toEqual({ [lapsed]: 90, [lasting]: 90 });
  await query('UPDATE guilds SET alerts_quiet_days = NULL WHERE id = $1', [guild.id]);
  await dropLapsed(test.database);
  expect([await rowsOf(lapsed), await rowsOf(lasting)]).toEqual([0, 0]);
});
