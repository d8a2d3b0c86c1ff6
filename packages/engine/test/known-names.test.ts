import { verifies } from '@bailiff/core/testing';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import type { PoolClient } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listAuditLog } from '#src/audit/audit-log.ts';
import { forgetGuild } from '#src/guilds/forget.ts';
import { memberNames } from '#src/guilds/guilds.ts';
import { keepName, personToName } from '#src/guilds/known-names.ts';
import { type SeededGuild, seedGuild, seedToken, snowflake } from '#src/testing.ts';
import { subjectsOf } from '#src/tokens/approval-subjects.ts';
import { learnName } from './learn-name.ts';

let test: TestDatabase;
let guild: SeededGuild;
let other: SeededGuild;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(async () => {
  guild = await seedGuild(test.database);
  other = await seedGuild(test.database);
});

const query = async (sql: string, ...values: unknown[]) => (await test.database.pool.query(sql, values)).rows;
const name = (userId: string) => ({ userId, username: 'otto.b', displayName: 'Otto' });
const strike = ({ id, moderatorId }: SeededGuild, userId: string) =>
  query(
    "SELECT open_case($1, 'strike', 'str', $2, 'Spam', $3, NULL, NULL, 'minor')",
    id,
    userId,
    moderatorId,
  );

/** Everything in which a guild names this person: lists of names, the audit log, and a call that waits for approval. */
async function namesIn({ id }: SeededGuild, userId: string, approvalId: string): Promise<readonly unknown[]> {
  const [entry] = await listAuditLog(test.database, id, {
    reads: false,
    filter: { targetId: userId },
    limit: 1,
  });
  const subject = (await subjectsOf(test.database, id, [approvalId]))[approvalId];
  const names = await memberNames(test.database, id, [userId]);
  return [
    names[userId] ?? null,
    entry?.actorName,
    entry?.targetName,
    subject?.displayName,
    subject?.username,
  ];
}

it('a guild learns nobody’s name from the records of another guild, wherever it names people', async () => {
  verifies('people.names-of-own-guild');
  const userId = snowflake();
  await strike(other, userId);
  await learnName(test.database, name(userId));
  await query(
    `INSERT INTO audit (guild_id, actor_source, actor_user_id, operation, target_type, target_id, outcome)
     VALUES ($1, 'chat', $2, 'bans.add', 'user', $2, 'failed')`,
    guild.id,
    userId,
  );
  const token = await seedToken(test.database, guild);
  const [approval] = await query(
    `INSERT INTO approval_requests
       (token_id, guild_id, operation, target_type, target_id, input, digest, request_id, address, expires_at)
     VALUES ($1, $2, 'bans.add', 'user', $3, '{}', 'd', 'req_asked', '::1', now() + interval '1 hour') RETURNING id`,
    token.id,
    guild.id,
    userId,
  );
  expect(await namesIn(guild, userId, approval.id)).toEqual([null, null, null, null, null]);
  await strike(guild, userId);
  expect(await namesIn(guild, userId, approval.id)).toEqual(['Otto', 'Otto', 'Otto', 'Otto', 'otto.b']);
});

it('a name that a guild has asked Discord for is known there, and in no other guild', async () => {
  verifies('people.names-of-own-guild');
  const userId = snowflake();
  await learnName(test.database, { ...name(userId), askedBy: guild.id });
  await learnName(test.database, { ...name(userId), askedBy: guild.id });
  expect(await memberNames(test.database, guild.id, [userId])).toEqual({ [userId]: 'Otto' });
  expect(await memberNames(test.database, other.id, [userId])).toEqual({});
  expect(await query('SELECT guild_ids FROM known_names WHERE user_id = $1', userId)).toEqual([
    { guild_ids: [guild.id] },
  ]);
});

it('Discord is asked again for a name that it told more than 30 days ago', async () => {
  verifies('names.together');
  const [old, recent] = [snowflake(), snowflake()];
  for (const [userId, days] of [[old, 31] as const, [recent, 29] as const]) {
    await learnName(test.database, name(userId));
    await query(
      'UPDATE known_names SET learned_at = now() - make_interval(days => $2) WHERE user_id = $1',
      userId,
      days,
    );
    await strike(guild, userId);
  }
  const asked = await query('SELECT user_id FROM names_to_learn WHERE user_id = ANY ($1)', [old, recent]);
  expect(asked).toEqual([{ user_id: old }]);
});

it('who waits longest is named first, by one process, and Discord is asked five times, a minute apart', async () => {
  await query('DELETE FROM names_to_learn');
  const [late, early] = [snowflake(), snowflake()];
  await query(
    "INSERT INTO names_to_learn (user_id, met_at) VALUES ($1, now()), ($2, now() - interval '1 hour')",
    late,
    early,
  );
  const next = () => personToName(test.database);
  expect([await next(), await next(), await next()]).toEqual([early, late, null]);
  await query('DELETE FROM names_to_learn WHERE user_id = $1', late);
  const passes = (seconds: number) =>
    query('UPDATE names_to_learn SET asked_at = asked_at - make_interval(secs => $1)', seconds);
  await passes(55);
  expect(await next()).toBeNull();
  const asked: (string | null)[] = [];
  for (let attempt = 2; attempt <= 6; attempt++) {
    await passes(61);
    asked.push(await next());
  }
  expect(asked).toEqual([early, early, early, early, null]);
  await learnName(test.database, name(early));
  expect(await query('SELECT user_id FROM names_to_learn')).toEqual([]);
});

it('thousands of imported people keep nobody waiting whose name is asked for today', async () => {
  await query('DELETE FROM names_to_learn');
  const [imported, today] = [snowflake(), snowflake()];
  await query(`DO $$ BEGIN
    PERFORM set_config('bailiff.importing', 'yes', true);
    PERFORM open_case('${guild.id}', 'warning', 'wrn', '${imported}', 'Spam', '${guild.moderatorId}', NULL, NULL);
  END $$`);
  await strike(guild, today);
  expect([await personToName(test.database), await personToName(test.database)]).toEqual([today, imported]);
});

describe('two transactions that meet the same people at once', () => {
  let one: PoolClient;
  let two: PoolClient;
  beforeEach(async () => {
    one = await test.database.pool.connect();
    two = await test.database.pool.connect();
    for (const client of [one, two]) await client.query('BEGIN');
    await query('DELETE FROM names_to_learn');
    await query("DELETE FROM graphile_worker._private_jobs WHERE key = 'learn_names'");
  });
  afterEach(() => {
    for (const client of [one, two]) client.release(true);
  });

  const warn = (client: PoolClient, { id, moderatorId }: SeededGuild, userId: string) =>
    client.query("SELECT open_case($1, 'warning', 'wrn', $2, 'Spam', $3, NULL, NULL)", [
      id,
      userId,
      moderatorId,
    ]);
  const report = (client: PoolClient, { id }: SeededGuild, reportedBy: string, userId: string) =>
    client.query(
      "INSERT INTO reports (guild_id, number, user_id, reported_by, reason) VALUES ($1, 1, $2, $3, 'Spam')",
      [id, userId, reportedBy],
    );
  const noted = async () => (await query('SELECT user_id FROM names_to_learn')).map(({ user_id }) => user_id);

  it('add one job, for which neither waits', async () => {
    const [first, second] = [snowflake(), snowflake()];
    await warn(one, guild, first);
    await warn(two, other, second);
    await two.query('COMMIT');
    await warn(one, guild, second);
    await one.query('COMMIT');
    expect((await noted()).sort()).toEqual([first, second].sort());
    expect(await query("SELECT FROM graphile_worker.jobs WHERE key = 'learn_names'")).toHaveLength(1);
  });

  it('do not wait for each other in a circle when two people report each other', async () => {
    const people = [snowflake(), snowflake()].sort();
    const [former = '', latter = ''] = people;
    // Names that are to be asked for anew, each known in the guild in which its person makes the report.
    for (const [userId, { id }] of [[former, guild] as const, [latter, other] as const]) {
      await learnName(test.database, name(userId));
      await query(
        `UPDATE known_names SET learned_at = now() - interval '31 days', guild_ids = ARRAY[$2] WHERE user_id = $1`,
        userId,
        id,
      );
    }
    await query('DELETE FROM names_to_learn');
    await query("SELECT graphile_worker.add_job('learn_names', job_key => 'learn_names')");
    const holder = await test.database.pool.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT FROM known_names WHERE user_id = ANY ($1) FOR UPDATE', [people]);
    const reports = [report(one, guild, former, latter), report(two, other, latter, former)];
    for (const reported of reports) reported.catch(() => {});
    await waitForLocks(2);
    await holder.query('COMMIT');
    holder.release();
    // Either may be the first.
    await Promise.all([one, two].map((client, nth) => reports[nth]?.then(() => client.query('COMMIT'))));
    expect((await noted()).sort()).toEqual(people);
  });

  it.each([
    ['forgets them', (userId: string) => two.query('SELECT forget_person($1)', [userId])],
    ['keeps their name', (userId: string) => keepName(test.database.pool, name(userId))],
    [
      'keeps their name for a request',
      (userId: string) => keepName(test.database.pool, { ...name(userId), askedBy: guild.id }),
    ],
  ])('do not wait in a circle with what %s', async (_, begin) => {
    const userId = snowflake();
    await learnName(test.database, name(userId));
    // Known elsewhere, and to be asked for anew.
    await query(
      `UPDATE known_names SET learned_at = now() - interval '31 days', guild_ids = ARRAY[$2] WHERE user_id = $1`,
      userId,
      guild.id,
    );
    await query('INSERT INTO names_to_learn (user_id) VALUES ($1)', userId);
    const holder = await test.database.pool.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT FROM names_to_learn WHERE user_id = $1 FOR UPDATE', [userId]);
    const begun = begin(userId);
    begun.catch(() => {});
    await waitForLocks(1);
    const warned = warn(one, other, userId);
    warned.catch(() => {});
    await waitForLocks(2);
    await holder.query('COMMIT');
    holder.release();
    await begun;
    await two.query('COMMIT');
    await warned;
    await one.query('COMMIT');
    expect(await query('SELECT FROM cases WHERE user_id = $1', userId)).toHaveLength(1);
  });
});

describe('what handles the records of a person who is being forgotten meanwhile does not wait for that in a circle', () => {
  const ban = (userId: string) =>
    `SELECT open_case('${guild.id}', 'ban', 'ban', '${userId}', 'Spam', '${guild.moderatorId}', NULL, NULL)`;
  it.each([
    [
      'a ban that replaces an older one',
      (userId: string) =>
        `SELECT end_cases_of('${guild.id}', 'ban', '${userId}', '${guild.ownerId}', 'Replaced', NULL, now(), true)`,
      ban,
    ],
    [
      'the lifting of a ban that was appealed',
      (userId: string) => `UPDATE cases SET ended_at = now(), ended_by = '1' WHERE user_id = '${userId}'`,
      () => 'SET CONSTRAINTS ALL IMMEDIATE',
    ],
    [
      'an approved call about a case',
      () => 'SELECT FROM approval_requests FOR UPDATE',
      (userId: string) => `UPDATE cases SET reason = 'Scam' WHERE user_id = '${userId}'`,
    ],
    [
      'an import of the list of bans',
      () => 'SELECT FROM imports FOR UPDATE',
      (userId: string) => `SELECT meet_people('${guild.id}', ARRAY['${userId}'])`,
    ],
    [
      'the undoing of an import',
      () => 'SELECT FROM imports, tickets FOR UPDATE',
      () => 'DELETE FROM imported_rows',
    ],
  ])('%s', async (_what, begin, goOn) => {
    await query('DELETE FROM names_to_learn; TRUNCATE imports, tickets, approval_requests CASCADE');
    const userId = snowflake();
    await query(ban(userId));
    const [{ id: caseId }] = await query('SELECT id FROM cases WHERE user_id = $1', userId);
    await query(
      "INSERT INTO appeals (guild_id, case_id, user_id, answers, language) VALUES ($1, $2, $3, '[]', 'en')",
      ...[guild.id, caseId, userId],
    );
    await query(
      `INSERT INTO approval_requests
         (token_id, guild_id, operation, target_type, target_id, input, digest, request_id, address, expires_at)
       VALUES ($1, $2, 'cases.change', 'case', $3, '{}', 'd', 'req_asked', '::1', now() + interval '1 hour')`,
      ...[(await seedToken(test.database, guild)).id, guild.id, caseId],
    );
    await query(
      `WITH made AS (INSERT INTO imports (guild_id, source, file_name, file_size, begun_by, page)
           VALUES ($1, 'discord', '', 0, $2, jsonb_build_object('bans', ARRAY[$3::text])) RETURNING id),
         opened AS (INSERT INTO tickets (guild_id, number, subject, opened_by)
           VALUES ($1, 1, 'Help', $3) RETURNING id)
       INSERT INTO imported_rows (guild_id, source, external_id, import_id, record_id)
       SELECT $1, 'discord', '1', made.id, opened.id FROM made, opened`,
      ...[guild.id, guild.ownerId, userId],
    );
    const other = await test.database.pool.connect();
    try {
      await other.query('BEGIN');
      await other.query(begin(userId));
      const forgotten = query('SELECT forget_person($1)', userId);
      forgotten.catch(() => {});
      await waitForLocks(1);
      await other.query(goOn(userId));
      await other.query('COMMIT');
      await forgotten;
    } finally {
      other.release(true);
    }
    expect(await query('SELECT FROM cases WHERE user_id = $1', userId)).toEqual([]);
  });
});

it('a guild is forgotten, and another one imports records of the same people, without waiting in a circle', async () => {
  const people = [snowflake(), snowflake()].sort();
  const [former = '', latter = ''] = people;
  // In the table the latter comes before the former, as it does where it was met first.
  for (const userId of [latter, former]) {
    await learnName(test.database, name(userId));
    await query(
      "INSERT INTO notes (guild_id, user_id, text, written_by) VALUES ($1, $2, 'x', $2)",
      ...[guild.id, userId],
    );
  }
  await query('UPDATE guilds SET left_at = now() WHERE id = $1', guild.id);
  const importing = await test.database.pool.connect();
  try {
    await importing.query('BEGIN');
    await importing.query('SELECT meet_people($1, $2)', [other.id, [former]]);
    const forgotten = forgetGuild(test.database, guild.id);
    forgotten.catch(() => {});
    await waitForLocks(1);
    await importing.query('SELECT meet_people($1, $2)', [other.id, [latter]]);
    await importing.query('COMMIT');
    await forgotten;
  } finally {
    importing.release(true);
  }
  expect(await query('SELECT FROM guilds WHERE id = $1', guild.id)).toEqual([]);
});

it('a guild and a person with a case there are forgotten at once without waiting in a circle', async () => {
  const userId = snowflake();
  await strike(guild, userId);
  await learnName(test.database, name(userId));
  await query('UPDATE guilds SET left_at = now() WHERE id = $1', guild.id);
  const holder = await test.database.pool.connect();
  try {
    // The person's cases are locked by then, and their name is not.
    await holder.query('BEGIN; LOCK TABLE member_events IN SHARE MODE');
    const person = query('SELECT forget_person($1)', userId);
    person.catch(() => {});
    await waitForLocks(1);
    const forgotten = forgetGuild(test.database, guild.id);
    forgotten.catch(() => {});
    await waitForLocks(2);
    await holder.query('COMMIT');
    await person;
    await forgotten;
  } finally {
    holder.release(true);
  }
  expect(await query('SELECT FROM guilds WHERE id = $1', guild.id)).toEqual([]);
});

it('whoever added a game server is forgotten, and its password changed, without waiting in a circle', async () => {
  const userId = snowflake();
  await query(
    `INSERT INTO identities (guild_id, user_id, platform, in_game_id, key, set_by)
     VALUES ($1, $2, 'steam', '1', '1', $2)`,
    ...[guild.id, userId],
  );
  const [server] = await query(
    `INSERT INTO game_servers (guild_id, name, host, port, password_sealed, created_by)
     VALUES ($1, 'Survival', 'example.com', 25575, 'one', $2) RETURNING id`,
    ...[guild.id, userId],
  );
  await query('INSERT INTO server_players (server_id) VALUES ($1)', server.id);
  const holder = await test.database.pool.connect();
  try {
    // The list of who is online is deleted by then, and the server not yet changed.
    await holder.query('BEGIN; LOCK TABLE budgets IN SHARE MODE');
    const person = query('SELECT forget_person($1)', userId);
    person.catch(() => {});
    await waitForLocks(1);
    const changed = query("UPDATE game_servers SET password_sealed = 'two' WHERE id = $1", server.id);
    changed.catch(() => {});
    await waitForLocks(2);
    await holder.query('COMMIT');
    await person;
    await changed;
  } finally {
    holder.release(true);
  }
  expect(await query('SELECT FROM game_servers WHERE created_by = $1', userId)).toEqual([]);
});

async function waitForLocks(waiters: number): Promise<void> {
  const waiting =
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  await expect.poll(() => query(waiting), { timeout: 120_000 }).toHaveLength(waiters);
}
