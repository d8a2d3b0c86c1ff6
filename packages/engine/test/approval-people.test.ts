import { verifies } from '@bailiff/core/testing';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getAction } from '#src/calls/actions.ts';
import { countsOf, isOfMany } from '#src/cases/many-effects.ts';
import { type SeededGuild, seedGuild, seedToken } from '#src/testing.ts';
import { peopleOfRequests } from '#src/tokens/approval-people.ts';
import { subjectsOf, waitingSubject } from '#src/tokens/approval-subjects.ts';

let database: TestDatabase;
let guild: SeededGuild;
let other: SeededGuild;

beforeAll(async () => {
  database = await createTestDatabase();
  guild = await seedGuild(database.database);
  other = await seedGuild(database.database);
});
afterAll(() => database.drop());

/** A list of a guild, which one mass action has taken. The second person is spared. */
async function listIn({ id, memberId, moderatorId, strangerId }: SeededGuild): Promise<void> {
  await database.database.pool.query(
    `WITH list AS (INSERT INTO person_lists (action_id, guild_id, kind, people, taken_by)
       VALUES ('list' || $1, $1, 'ban', 2, 'mass' || $1) RETURNING action_id)
     INSERT INTO listed_people (list_id, place, line, user_id, spared)
     SELECT action_id, place, place, user_id, spared::"ListSpared" FROM list, (VALUES
       (2, $2, NULL), (1, $3, NULL), (3, $4, 'staff')) AS people (place, user_id, spared)`,
    [id, memberId, strangerId, moderatorId],
  );
}

test('the owner sees exactly the people of the list before they allow a mass action or its undoing', async () => {
  verifies('approvals.people');
  const { pool } = database.database;
  await listIn(guild);
  await listIn(other);
  const token = await seedToken(database.database, guild);
  const ask = async (operation: string, target: string) => {
    const { rows } = await pool.query<{ id: string }>(
      `INSERT INTO approval_requests
         (token_id, guild_id, operation, target_type, target_id, input, digest, request_id, address, expires_at)
       VALUES ($1, $2, $3, 'action', $4, '{}', $3 || $4, 'req_asked', '::1', now() + interval '1 hour') RETURNING id`,
      [token.id, guild.id, operation, target],
    );
    return rows[0]?.id ?? '';
  };
  const doing = await ask('bans.many', `list${guild.id}`);
  const undoing = await ask('bans.undo', `mass${guild.id}`);
  const foreign = await ask('bans.many', `list${other.id}`);
  const foreignMass = await ask('bans.undo', `mass${other.id}`);
  const people = { count: 2, userIds: [guild.strangerId, guild.memberId] };
  expect(await peopleOfRequests(database.database, guild.id, [doing, undoing, foreign, foreignMass])).toEqual(
    { [doing]: people, [undoing]: people },
  );
});

test('a token that asks about long lists again and again makes no page of all their people', async () => {
  verifies('approvals.people-bounded');
  const { pool } = database.database;
  const token = await seedToken(database.database, guild);
  await pool.query(
    `WITH list AS (INSERT INTO person_lists (action_id, guild_id, kind, people) VALUES ('long', $1, 'ban', 900)
       RETURNING action_id)
     INSERT INTO listed_people (list_id, place, line, user_id)
     SELECT action_id, n, n, (4 * 10::numeric ^ 17 + n)::text FROM list, generate_series(1, 900) AS n`,
    [guild.id],
  );
  const { rows } = await pool.query<{ id: string }>(
    `INSERT INTO approval_requests
       (token_id, guild_id, operation, target_type, target_id, input, digest, request_id, address, expires_at)
     SELECT $1, $2, 'bans.many', 'action', 'long', '{}', 'long' || n, 'req_asked', '::1', now() + interval '1 hour'
     FROM generate_series(1, 5) AS n RETURNING id`,
    [token.id, guild.id],
  );
  const ids = rows.map(({ id }) => id);
  const lengths = async (asked: readonly string[]) => {
    const found = await peopleOfRequests(database.database, guild.id, asked);
    return asked.map((id) => [found[id]?.count, found[id]?.userIds.length]);
  };
  const expected = [900, 900, 0, 0, 0].map((shown) => [900, shown]);
  expect(await lengths(ids)).toEqual(expected);
  // In the order in which they are asked for.
  expect(await lengths(ids.toReversed())).toEqual(expected);
});

/** A request that waits for approval of a call about the moderator. */
async function askAboutModerator(): Promise<string> {
  const token = await seedToken(database.database, guild);
  const { rows } = await database.database.pool.query<{ id: string }>(
    `INSERT INTO approval_requests
       (token_id, guild_id, operation, target_type, target_id, input, digest, request_id, address, expires_at)
     VALUES ($1, $2, 'bans.add', 'user', $3, '{}', 'd', 'req_asked', '::1', now() + interval '1 hour') RETURNING id`,
    [token.id, guild.id, guild.moderatorId],
  );
  return rows[0]?.id ?? '';
}

test('the owner sees the highest role first of whom a call is about, and the three latest of their cases', async () => {
  verifies('approval.subject');
  const { pool } = database.database;
  await pool.query('UPDATE members SET role_ids = $3 WHERE guild_id = $1 AND user_id = $2', [
    guild.id,
    guild.moderatorId,
    [guild.memberRoleId, guild.moderatorRoleId],
  ]);
  // What they did in another guild is none of this owner's business.
  for (const [where, reason] of [
    ...['one', 'two', 'three', 'four'].map((each) => [guild.id, each]),
    ...['one', 'two', 'three', 'four', 'five'].map((each) => [other.id, each]),
  ]) {
    await pool.query("SELECT open_case($1, 'strike', 'str', $2, $3, $4, NULL, NULL, 'minor')", [
      where,
      guild.moderatorId,
      reason,
      guild.ownerId,
    ]);
  }
  const id = await askAboutModerator();
  const { [id]: subject } = await subjectsOf(database.database, guild.id, [id]);
  expect(subject).toMatchObject({ roles: [guild.moderatorRoleId, guild.memberRoleId], cases: 4 });
  expect(subject?.latestCases.map(({ number }) => number)).toEqual([4, 3, 2]);
  // As an import brings them: numbered last, and older.
  await pool.query("UPDATE cases SET issued_at = '2022-01-01' WHERE guild_id = $1 AND case_number > 2", [
    guild.id,
  ]);
  const { [id]: later } = await subjectsOf(database.database, guild.id, [id]);
  expect(later?.latestCases.map(({ number }) => number)).toEqual([2, 1, 4]);
});

test('Discord is asked about a person only while the call about them waits', async () => {
  verifies('approval.subject');
  const { pool } = database.database;
  const [lapsed, refused] = [await askAboutModerator(), await askAboutModerator()];
  const asked = async () => [await waitingSubject(pool, lapsed), await waitingSubject(pool, refused)];
  const moderator = { guildId: guild.id, userId: guild.moderatorId };
  expect(await asked()).toEqual([moderator, moderator]);
  await pool.query("UPDATE approval_requests SET expires_at = now() - interval '1 second' WHERE id = $1", [
    lapsed,
  ]);
  await pool.query("UPDATE approval_requests SET state = 'refused' WHERE id = $1", [refused]);
  expect(await asked()).toEqual([null, null]);
});

test('a mass action has exactly the person of a line banned, by who asked for it and while it runs', async () => {
  verifies('mass.bound');
  const { pool } = database.database;
  const { id: guildId, ownerId, memberId, strangerId, moderatorId } = await seedGuild(database.database);
  const add = async (operation: string, source: string, target: string | null) => {
    const { rows } = await pool.query<{ id: string }>(
      `INSERT INTO actions (guild_id, operation, input, digest, state, actor_source, actor_user_id, request_id, claim_by,
         target_type, target_id)
       VALUES ($1, $2, '{}', '', 'running', $3::"ActorSource", $4, 'req_mass', now(), 'user', $5) RETURNING id`,
      [guildId, operation, source, ownerId, target],
    );
    return rows[0]?.id ?? '';
  };
  const mass = await add('bans.many', 'dashboard', null);
  const ban = await add('bans.add', 'system', memberId);
  await pool.query(
    `WITH list AS (INSERT INTO person_lists (action_id, guild_id, kind, people, taken_by)
       VALUES ('list' || $1, $1, 'ban', 1, $2) RETURNING action_id)
     INSERT INTO listed_people (list_id, place, line, user_id, action_id) SELECT action_id, 1, 1, $3, $4 FROM list`,
    [guildId, mass, memberId, ban],
  );
  const recorded = await getAction(database.database, guildId, ban);
  if (recorded === null) throw new Error('The ban is not on record');
  const isOfIt = (more: Partial<typeof recorded> = {}) =>
    isOfMany(database.database, { ...recorded, ...more });
  expect(await isOfIt()).toBe(true);
  expect(await isOfIt({ targetId: strangerId })).toBe(false);
  expect(await isOfIt({ operation: 'bans.lift' })).toBe(false);
  expect(await isOfIt({ actor: { ...recorded.actor, userId: moderatorId } })).toBe(false);
  expect(await isOfIt({ guildId: other.id })).toBe(false);
  await pool.query("UPDATE actions SET state = 'done' WHERE id = $1", [mass]);
  expect(await isOfIt()).toBe(false);

  // A limit of Discord is waited for, but not for ever.
  await pool.query(
    `WITH tried AS (UPDATE listed_people SET attempts = 5 WHERE action_id = $1)
     UPDATE actions SET state = 'failed', settled_at = now(), error =
       '{"details": {"upstream": "discord", "outcome": "not_performed", "retry_after_seconds": 60}}' WHERE id = $1`,
    [ban],
  );
  const counts = () => countsOf(database.database, `list${guildId}`, 'do');
  expect(await counts()).toMatchObject({ left: 1, failed: 0 });
  await pool.query("UPDATE actions SET created_at = created_at - interval '7 hours' WHERE id = $1", [mass]);
  expect(await counts()).toMatchObject({ left: 0, failed: 1 });
});
