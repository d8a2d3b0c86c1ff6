import { verifies } from '@bailiff/core/testing';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { readForPage } from '#src/calls/read-call.ts';
import { memberEventKeeper, type SeenMember } from '#src/guilds/member-events.ts';
import { type SeededGuild, seedGuild, snowflake } from '#src/testing.ts';
import { dropLapsed, SHARES } from '#src/worker/housekeeping.ts';
import { learnName } from './learn-name.ts';

let test: TestDatabase;
let guild: SeededGuild;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(async () => {
  guild = await seedGuild(test.database);
});

const query = async (sql: string, ...values: unknown[]) => (await test.database.pool.query(sql, values)).rows;

const joined = (userId: string, joinedAt: string, name = 'Otto') =>
  ({
    what: 'joined',
    guildId: guild.id,
    userId,
    joinedAt,
    username: name.toLowerCase(),
    displayName: name,
  }) as const;
const seen = (userId: string, name: string, username = name.toLowerCase()) =>
  ({ what: 'seen', guildId: guild.id, userId, joinedAt: null, username, displayName: name }) as const;
const left = (userId: string) => ({ what: 'left', guildId: guild.id, userId }) as const;

const keep = (...events: SeenMember[]) => {
  const keeper = memberEventKeeper(test.database);
  return Promise.all(events.map(keeper));
};
const eventsOf = async (userId: string, { id, ownerId } = guild) => {
  const owner = { id, userId: ownerId, isOwner: true, capabilities: ['members.read'] as const };
  const { data } = await readForPage(test.database, owner, 'members.events', { userId });
  return data.map(({ kind, display_name, old_display_name, missed_leave }) =>
    [kind, old_display_name, display_name, missed_leave ? 'missed' : null]
      .filter((part) => part !== null)
      .join(' '),
  );
};

it('who joins, renames themselves, leaves and comes back is shown so, and an event that comes twice once', async () => {
  verifies('member-events.kept');
  const userId = snowflake();
  const first = joined(userId, '2026-11-01T10:00:00.123456+00:00');
  await keep(first, first, seen(userId, 'Otto'), seen(userId, 'Ottilie'), left(userId), left(userId));
  // By Discord's clock it was before they left.
  await keep(joined(userId, '2026-11-02T10:00:00Z', 'Ottilie'));
  expect(await eventsOf(userId)).toEqual(['joined Ottilie', 'left', 'renamed Otto Ottilie', 'joined Otto']);
});

it('who joins twice has left in between, and a join of the future is one of now', async () => {
  verifies('member-events.kept');
  const userId = snowflake();
  await keep(joined(userId, '2026-10-01T10:00:00Z'), joined(userId, '2199-01-01T00:00:00Z'));
  expect(await eventsOf(userId)).toEqual(['joined Otto missed', 'joined Otto']);
  expect(await query('SELECT FROM member_events WHERE at > now() + interval $$1 minute$$')).toEqual([]);
});

it('a leaving that no bot saw is told of too where another name came in between', async () => {
  verifies('member-events.kept');
  const userId = snowflake();
  await keep(joined(userId, '2026-10-01T10:00:00Z'), seen(userId, 'Ottilie'));
  await keep(joined(userId, '2199-01-01T00:00:00Z', 'Ottilie'));
  expect(await eventsOf(userId)).toEqual(['joined Ottilie missed', 'renamed Otto Ottilie', 'joined Otto']);
});

it('who leaves again some minutes later has joined in between, and no bot saw it', async () => {
  verifies('member-events.kept');
  const userId = snowflake();
  await keep(left(userId), left(userId));
  await query("UPDATE member_events SET at = at - interval '61 seconds' WHERE user_id = $1", userId);
  await keep(left(userId));
  expect(await eventsOf(userId)).toEqual(['left', 'left']);
});

it('of a raid that comes at one moment nobody is lost', async () => {
  verifies('member-events.kept');
  const raided = await seedGuild(test.database);
  const raiders = Array.from({ length: 2_000 }, snowflake);
  await keep(...raiders.map((userId) => ({ ...left(userId), guildId: raided.id })));
  const kept = await query('SELECT user_id FROM member_events WHERE guild_id = $1', raided.id);
  expect(kept.map(({ user_id }) => user_id).sort()).toEqual(raiders.sort());
});

it('a member of whom nothing was known adds no row, and a name on record is compared by the username', async () => {
  verifies('member-events.bounded');
  const [stranger, struck, elsewhere] = [snowflake(), snowflake(), snowflake()];
  for (const userId of [struck, elsewhere])
    await learnName(test.database, {
      userId,
      username: 'otto.b',
      displayName: 'Otto',
      ...(userId === struck ? { askedBy: guild.id } : {}),
    });
  await keep(seen(stranger, 'Nobody'), seen(struck, 'Nick', 'otto.b'), seen(elsewhere, 'Other', 'other'));
  for (const userId of [stranger, struck, elsewhere]) expect(await eventsOf(userId)).toEqual([]);
  await keep(seen(struck, 'Nick', 'otto.c'), seen(struck, 'Nick', 'otto.c'));
  expect(await eventsOf(struck)).toEqual(['renamed Nick']);
});

it('who has come and gone twenty times within a day leaves no further trace that day', async () => {
  verifies('member-events.bounded');
  const userId = snowflake();
  await query(
    `INSERT INTO member_events (guild_id, user_id, at, kind)
     SELECT $1, $2, now() - interval '23 hours' + make_interval(mins => n), 'left' FROM generate_series(1, 20) AS n`,
    guild.id,
    userId,
  );
  const kept = async () => (await query('SELECT FROM member_events WHERE user_id = $1', userId)).length;
  await keep(left(userId));
  expect(await kept()).toBe(20);
  await query("UPDATE member_events SET at = at - interval '2 hours' WHERE user_id = $1", userId);
  await keep(left(userId));
  expect(await kept()).toBe(21);
});

it('a moderator’s other name is kept once, also if it changed while no bot listened', async () => {
  verifies('member-events.kept');
  await query(`UPDATE members SET display_name = 'Before' WHERE user_id = $1`, guild.moderatorId);
  await keep(seen(guild.moderatorId, 'After'));
  await query(`UPDATE members SET display_name = 'After' WHERE user_id = $1`, guild.moderatorId);
  await query(`UPDATE members SET role_ids = '{}' WHERE user_id = $1`, guild.moderatorId);
  expect(await eventsOf(guild.moderatorId)).toEqual([
    'renamed Before After',
    `renamed ${guild.moderatorId} Before`,
  ]);
});

it('one person cannot fill the table, nor one guild, and what is old goes', async () => {
  verifies('member-events.bounded');
  // Other tests leave joins of fixed dates, which become old themselves one day.
  await query('DELETE FROM member_events');
  const [restless, other] = [snowflake(), snowflake()];
  await keep(joined(restless, new Date(Date.now() - 3 * 86_400_000).toISOString()));
  for (let n = 0; n < 30; n += 1) await keep(seen(restless, `Otto ${n}`));
  expect(await query('SELECT count(*)::int AS n FROM member_events WHERE user_id = $1', restless)).toEqual([
    // The join was on another day.
    { n: 21 },
  ]);
  const raided = await seedGuild(test.database);
  const counted =
    "SELECT FROM count_requests(ARRAY['member events:' || $1], ARRAY[$2::int], '{50000}', '{3600000}')";
  await query(counted, raided.id, 49_999);
  const raiders = [snowflake(), snowflake(), snowflake()];
  for (const userId of raiders) await keep({ ...left(userId), guildId: raided.id });
  expect(await query('SELECT user_id FROM member_events WHERE guild_id = $1', raided.id)).toEqual([
    { user_id: raiders[0] },
  ]);
  await query(
    `INSERT INTO member_events (guild_id, user_id, at, kind) SELECT $1, $2, now() - make_interval(days => 181, secs => n), 'left'
     FROM generate_series(1, 3) AS n`,
    guild.id,
    other,
  );
  await query(
    `INSERT INTO member_events (guild_id, user_id, at, kind)
     SELECT $1, (900000000000000000 + n)::text, now() - make_interval(hours => 1, secs => n), 'left'
     FROM generate_series(1, 200010) AS n`,
    guild.id,
  );
  // An old one of a guild that has few stays.
  await query(
    "INSERT INTO member_events (guild_id, user_id, at, kind) VALUES ($1, $2, now() - interval '100 days', 'left')",
    raided.id,
    other,
  );
  // In an hour that is no guild's.
  const { member_events, beyondMost } = await dropLapsed(test.database, SHARES);
  expect({ member_events, beyondMost }).toEqual({ member_events: 3, beyondMost: 0 });
  const hours = Array.from({ length: SHARES }, (_, hour) => hour);
  const dropped: number[] = [];
  for (const hour of hours) dropped.push((await dropLapsed(test.database, hour)).beyondMost);
  expect(dropped.toSorted((a, b) => a - b)).toEqual([...hours.slice(1).fill(0), 31]);
  expect(await query('SELECT count(*)::int AS n FROM member_events WHERE guild_id = $1', guild.id)).toEqual([
    { n: 200_000 },
  ]);
  expect(await query('SELECT FROM member_events WHERE guild_id = $1', raided.id)).toHaveLength(2);
});

it('another guild sees nothing of it, and a guild that Bailiff does not know keeps nothing', async () => {
  verifies('member-events.kept');
  const userId = snowflake();
  const other = await seedGuild(test.database);
  await keep(joined(userId, '2026-11-20T10:00:00Z'), {
    ...joined(userId, '2026-11-20T10:00:00Z'),
    guildId: snowflake(),
  });
  expect(await eventsOf(userId, other)).toEqual([]);
  expect(await eventsOf(userId)).toEqual(['joined Otto']);
});
