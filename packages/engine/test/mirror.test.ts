import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { discordLogPosition, discordLogReadTo } from '#src/cases/by-hand.ts';
import { endComparison, membersToKeep, mirroredMembers, wantedMembers } from '#src/guilds/comparison.ts';
import { beatShard, distrustShard, guildsOfShard } from '#src/guilds/gateway-shards.ts';
import { mirroredHierarchy } from '#src/guilds/hierarchy.ts';
import {
  distrustGuild,
  followMembers,
  guildLeft,
  type MirroredMember,
  membersLeft,
  putGuild,
  putMembers,
  replaceRoles,
} from '#src/guilds/mirror.ts';
import { grantRole, type SeededGuild, seedGuild, seedToken, snowflake } from '#src/testing.ts';

let database: TestDatabase;
let guild: SeededGuild;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  guild = await seedGuild(database.database);
});

function member(userId: string, roleIds: string[] = []): MirroredMember {
  return {
    userId,
    username: 'name',
    displayName: 'Name',
    avatarHash: null,
    bot: false,
    roleIds,
    joinedAt: null,
  };
}

async function one<Row extends object>(sql: string, ...values: unknown[]): Promise<Row | undefined> {
  const { rows } = await database.database.pool.query<Row>(sql, values);
  return rows[0];
}

const isKept = async (userId: string) =>
  (await one('SELECT FROM members WHERE guild_id = $1 AND user_id = $2', guild.id, userId)) !== undefined;
const isFresh = async () =>
  (await one<{ fresh: boolean }>('SELECT mirror_fresh AS fresh FROM live_guilds WHERE id = $1', guild.id))
    ?.fresh;

test('an event about a member who does not matter leaves no row', async () => {
  const stranger = snowflake();
  await followMembers(database.database, guild.id, [member(stranger)], guild.botId);
  expect(await isKept(stranger)).toBe(false);
});

test('an event about a holder of a granted role, an issuer, or anybody when @everyone was granted, is kept', async () => {
  await grantRole(database.database, guild, guild.memberRoleId, ['bans.read']);
  const holder = snowflake();
  await followMembers(database.database, guild.id, [member(holder, [guild.memberRoleId])], guild.botId);
  expect(await isKept(holder)).toBe(true);
  const issuerId = snowflake();
  await seedToken(database.database, guild, { issuerId });
  await followMembers(database.database, guild.id, [member(issuerId)], guild.botId);
  expect(await isKept(issuerId)).toBe(true);
  await grantRole(database.database, guild, guild.id, ['strikes.read']);
  const anybody = snowflake();
  await followMembers(database.database, guild.id, [member(anybody)], guild.botId);
  expect(await isKept(anybody)).toBe(true);
});

test('a member who is kept follows every event, also when they no longer matter', async () => {
  await followMembers(database.database, guild.id, [member(guild.moderatorId)], guild.botId);
  const row = await one<{ role_ids: string[] }>(
    'SELECT role_ids FROM members WHERE user_id = $1',
    guild.moderatorId,
  );
  expect(row?.role_ids).toEqual([]);
});

/** Compares the guild with a list of members, by somebody who knew these issuers when the list began. */
async function compare(listed: readonly MirroredMember[], issuerIds: Iterable<string>): Promise<void> {
  const unlisted = await mirroredMembers(database.database, guild.id);
  await putMembers(database.database.pool, guild.id, listed);
  for (const { userId } of listed) unlisted.delete(userId);
  await endComparison(database.database, guild.id, { unlisted, issuerIds });
}

test('comparing makes the members exactly those listed, and trusts the guild', async () => {
  const issuerId = snowflake();
  await seedToken(database.database, guild, { issuerId });
  await distrustShard(database.database, 0, 1);
  expect(await isFresh()).toBe(false);
  const { issuerIds } = await wantedMembers(database.database, guild.id, guild.botId);
  expect([...issuerIds]).toEqual([issuerId]);
  await compare([member(guild.ownerId)], issuerIds);
  expect(await isKept(guild.moderatorId)).toBe(false);
  expect(await isKept(issuerId)).toBe(false);
  expect(await isFresh()).toBe(true);
});

test('comparing keeps people who have signed in, and loads none who are not in the guild', async () => {
  const [inGuild, elsewhere, anybody] = [snowflake(), snowflake(), snowflake()];
  await database.database.pool.query("INSERT INTO users (id, name) VALUES ($1, 'in'), ($2, 'elsewhere')", [
    inGuild,
    elsewhere,
  ]);
  const wanted = await wantedMembers(database.database, guild.id, guild.botId);
  expect([...wanted.userIds]).not.toContain(elsewhere);
  const listed = [member(inGuild), member(anybody), member(guild.ownerId)];
  const kept = await membersToKeep(database.database, wanted, listed);
  expect(kept.map(({ userId }) => userId)).toEqual([inGuild, guild.ownerId]);
});

test('a heartbeat older than a minute is no heartbeat', async () => {
  const shard = { shardId: 0, shardCount: 1, botUserId: guild.botId };
  await beatShard(database.database, { ...shard, ageSeconds: 55 });
  expect(await isFresh()).toBe(true);
  await beatShard(database.database, { ...shard, ageSeconds: 61 });
  expect(await isFresh()).toBe(false);
});

test('a heartbeat of the future is from before the clock went back, and is none', async () => {
  const shard = { shardId: 0, shardCount: 1, botUserId: guild.botId };
  await beatShard(database.database, { ...shard, ageSeconds: -50 });
  expect(await isFresh()).toBe(true);
  await beatShard(database.database, { ...shard, ageSeconds: -120 });
  expect(await isFresh()).toBe(false);
});

test('a guild that is not trusted says why, and the others stay trusted', async () => {
  const other = await seedGuild(database.database);
  await beatShard(database.database, { shardId: 0, shardCount: 1, botUserId: guild.botId, ageSeconds: 0 });
  await distrustGuild(database.database, guild.id, 'outage');
  const mirrorOf = (id: string) =>
    one('SELECT mirror_fresh, mirror_problem FROM live_guilds WHERE id = $1', id);
  expect(await mirrorOf(guild.id)).toEqual({ mirror_fresh: false, mirror_problem: 'outage' });
  expect(await mirrorOf(other.id)).toEqual({ mirror_fresh: true, mirror_problem: null });
});

test('who stands above whom is told by the mirror only while it is trusted', async () => {
  const shard = { shardId: 0, shardCount: 1, botUserId: guild.botId };
  const told = () => mirroredHierarchy(database.database.pool, guild.id, guild.moderatorId);
  await beatShard(database.database, { ...shard, ageSeconds: 0 });
  expect(await told()).toMatchObject({ owner_id: guild.ownerId, actor_role_ids: [guild.moderatorRoleId] });
  await beatShard(database.database, { ...shard, ageSeconds: 61 });
  expect(await told()).toBeNull();
});

test('an issuer who left loses every token of that guild, and of no other, with an audit row each', async () => {
  const other = await seedGuild(database.database);
  const issuerId = snowflake();
  const lost = [
    await seedToken(database.database, guild, { issuerId }),
    await seedToken(database.database, guild, { issuerId }),
  ];
  const kept = await seedToken(database.database, other, { issuerId });
  const revoked = await membersLeft(database.database, guild.id, [issuerId]);
  expect(revoked.toSorted()).toEqual(lost.map(({ id }) => id).toSorted());
  const rows = await one<{ count: string }>(
    "SELECT count(*) FROM audit WHERE guild_id = $1 AND operation = 'tokens.revoke' AND actor_source = 'system'",
    guild.id,
  );
  expect(rows?.count).toBe('2');
  expect(await one('SELECT FROM tokens WHERE id = $1 AND revoked_at IS NULL', kept.id)).toBeDefined();
  expect(await membersLeft(database.database, guild.id, [issuerId])).toEqual([]);
});

test('roles that are gone take their grants along; what else changed keeps them', async () => {
  await grantRole(database.database, guild, guild.memberRoleId, ['bans.read']);
  await grantRole(database.database, guild, guild.moderatorRoleId, ['bans.write']);
  const role = { name: 'Renamed', position: 5, color: 1, permissions: String(2n ** 60n), managed: false };
  await replaceRoles(database.database.pool, guild.id, [{ ...role, id: guild.memberRoleId }], new Set());
  const columns = 'name, position, color, permissions::text, managed';
  expect(
    await one(`SELECT ${columns} FROM roles WHERE guild_id = $1 AND id = $2`, guild.id, guild.memberRoleId),
  ).toEqual(role);
  const { rows } = await database.database.pool.query('SELECT role_id FROM role_grants WHERE guild_id = $1', [
    guild.id,
  ]);
  expect(rows).toEqual([{ role_id: guild.memberRoleId }]);
});

test('a guild that was left and comes back keeps its tier, and is not trusted until it was compared', async () => {
  await guildLeft(database.database, guild.id);
  expect(await isFresh()).toBe(false);
  await putGuild(
    database.database.pool,
    { id: guild.id, name: 'Back', iconHash: null, ownerId: guild.ownerId, shardId: 0 },
    'free',
  );
  expect(await one('SELECT tier, left_at FROM guilds WHERE id = $1', guild.id)).toEqual({
    tier: 'pro',
    left_at: null,
  });
  expect(await isFresh()).toBe(false);
});

test('a guild keeps its language, and the time when it was left first', async () => {
  const { pool } = database.database;
  await pool.query("UPDATE guilds SET language = 'de', left_at = now() - interval '1 day' WHERE id = $1", [
    guild.id,
  ]);
  await guildLeft(database.database, guild.id);
  const left = "SELECT left_at < now() - interval '23 hours' AS early, language FROM guilds WHERE id = $1";
  expect(await one(left, guild.id)).toEqual({ early: true, language: 'de' });
  const { id, ownerId } = guild;
  const described = { id, name: 'Back', iconHash: null, ownerId, shardId: 0, preferredLocale: 'fr' };
  await putGuild(pool, described, 'free');
  expect(await one('SELECT left_at, language FROM guilds WHERE id = $1', id)).toEqual({
    left_at: null,
    language: 'de',
  });
});

test('since when a member is in the guild stays known when Discord does not say it again', async () => {
  const joinedAt = '2026-01-02T03:04:05.000Z';
  const joined = { ...member(guild.moderatorId), joinedAt };
  await followMembers(database.database, guild.id, [joined], guild.botId);
  await followMembers(database.database, guild.id, [member(guild.moderatorId)], guild.botId);
  const row = await one<{ joined_at: Date }>(
    'SELECT joined_at FROM members WHERE guild_id = $1 AND user_id = $2',
    guild.id,
    guild.moderatorId,
  );
  expect(row?.joined_at.toISOString()).toBe(joinedAt);
});

test('guilds belong to shards as Discord deals them', async () => {
  const shards = [0, 1, 2, 3];
  const found = await Promise.all(
    shards.map((shard) => guildsOfShard(database.database, shard, shards.length)),
  );
  const mine = shards.filter((shard) => found[shard]?.has(guild.id));
  expect(mine).toEqual([Number((BigInt(guild.id) >> 22n) % 4n)]);
});

test('who was issued a token while the list of members was read stays, and is judged by the next list', async () => {
  await seedToken(database.database, guild, { issuerId: guild.moderatorId });
  await compare([member(guild.ownerId)], []);
  expect(await isKept(guild.moderatorId)).toBe(true);
  await compare([member(guild.ownerId)], [guild.moderatorId]);
  expect(await isKept(guild.moderatorId)).toBe(false);
});

test('a role that an event changed while the guild was read stays as the event left it', async () => {
  const role = { name: 'As read', position: 5, color: 1, permissions: '0', managed: false };
  const listed = [guild.memberRoleId, guild.moderatorRoleId].map((id) => ({ ...role, id }));
  await replaceRoles(database.database.pool, guild.id, listed, new Set([guild.moderatorRoleId]));
  const nameOf = (id: string) => one('SELECT name FROM roles WHERE guild_id = $1 AND id = $2', guild.id, id);
  expect(await nameOf(guild.memberRoleId)).toEqual({ name: 'As read' });
  expect(await nameOf(guild.moderatorRoleId)).not.toEqual({ name: 'As read' });
});

test('guilds with waiting calls are compared before those with tokens, and those before the others', async () => {
  const [used, held] = [await seedGuild(database.database), await seedGuild(database.database)];
  const { pool } = database.database;
  for (const [{ id }, minutes] of [
    [await seedToken(database.database, held), 65],
    [await seedToken(database.database, used), 55],
  ] as const)
    await pool.query('UPDATE tokens SET last_used_at = now() - make_interval(mins => $2) WHERE id = $1', [
      id,
      minutes,
    ]);
  const rankOf = async (id: string) => (await guildsOfShard(database.database, 0, 1)).get(id);
  expect(await rankOf(used.id)).toBe(1);
  expect(await rankOf(held.id)).toBe(2);
  expect(await rankOf(guild.id)).toBe(3);
  const callWaits = (left: string) =>
    pool.query(
      `INSERT INTO actions (guild_id, operation, input, digest, state, actor_source, actor_user_id, request_id, claim_by)
       VALUES ($1, 'bans.add', '{}', 'd', 'pending', 'chat', $2, 'req_waits', now() + $3::interval)`,
      [guild.id, guild.ownerId, left],
    );
  // For a call that was not taken up in time nobody waits any more.
  await callWaits('-1 minute');
  expect(await rankOf(guild.id)).toBe(3);
  await callWaits('1 minute');
  expect(await rankOf(guild.id)).toBe(0);
});

test('how far the audit log of a guild was read never goes back, however late somebody says so', async () => {
  await discordLogPosition(database.database, guild.id);
  const after = async (readTo: string) => {
    await discordLogReadTo(database.database, guild.id, readTo);
    return (await discordLogPosition(database.database, guild.id))?.readFrom;
  };
  expect(await after('2000000000000000000')).toBe('2000000000000000000');
  // As a number, not as a text.
  expect(await after('900000000000000000')).toBe('2000000000000000000');
});
