import { createTestDatabase, listenAtLast, type TestDatabase } from '@bailiff/prisma/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type SeededGuild, seedGuild, seedToken, snowflake } from '#src/testing.ts';

// For how long the database's functions count something, and behind what their jobs wait.

let test: TestDatabase;
let guild: SeededGuild;

beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(async () => {
  guild = await seedGuild(test.database);
});

const query = async (sql: string, values: unknown[] = []) =>
  (await test.database.pool.query(sql, values)).rows;

/** The priority of a job by its key. A smaller number goes first. */
async function priorityOf(key: string): Promise<number | undefined> {
  const [job] = await query('SELECT priority FROM graphile_worker.jobs WHERE key = $1', [key]);
  return job?.priority;
}

it.each([
  ['55 seconds', false],
  ['61 seconds', true],
])('the last use of a token is noted at most once a minute: after %s', async (age, isNoted) => {
  const { id } = await seedToken(test.database, guild);
  await query('UPDATE tokens SET last_used_at = now() - $2::interval WHERE id = $1', [id, age]);
  await query('SELECT touch_token($1)', [id]);
  const [{ noted }] = await query(
    "SELECT last_used_at > now() - interval '30 seconds' AS noted FROM tokens WHERE id = $1",
    [id],
  );
  expect(noted).toBe(isNoted);
});

it.each([
  ['29 days', false],
  ['31 days', true],
])('a name that Discord told %s ago is asked for again: %s', async (age, isAsked) => {
  const userId = snowflake();
  await query(
    `INSERT INTO known_names (user_id, username, display_name, learned_at, guild_ids)
     VALUES ($1, 'known', 'Known', now() - $2::interval, ARRAY[$3])`,
    [userId, age, guild.id],
  );
  await query("SELECT open_case($1, 'strike', 'str', $2, 'x', $3, NULL, NULL, 'minor')", [
    guild.id,
    userId,
    guild.ownerId,
  ]);
  expect(await query('SELECT FROM names_to_learn WHERE user_id = $1', [userId])).toHaveLength(
    Number(isAsked),
  );
});

it('pages hear of the name of somebody who got a case, a report or a ticket within the hour, and of nobody else', async () => {
  let heard: string[] = [];
  const isOver = Promise.withResolvers<void>();
  const listener = await listenAtLast(test.url, ['bailiff'], (_channel, payload) => {
    const { kind, guild_id: guildId } = JSON.parse(payload);
    if (kind === 'begun') heard = [];
    else if (kind === 'over') isOver.resolve();
    else if (['case', 'report', 'ticket'].includes(kind)) heard.push(`${kind} ${guildId}`);
  });
  const opened = async (age: string) => {
    const { id, ownerId } = await seedGuild(test.database);
    await query("SELECT open_case($1, 'strike', 'str', $2, 'x', $3, NULL, NULL, 'minor')", [
      id,
      guild.strangerId,
      ownerId,
    ]);
    await query('UPDATE cases SET issued_at = now() - $2::interval WHERE guild_id = $1', [id, age]);
    await query(
      `INSERT INTO reports (guild_id, number, user_id, reported_by, reason, reported_at)
       VALUES ($1, 1, $2, $3, 'x', now() - $4::interval), ($1, 2, $3, $2, 'x', now() - $4::interval)`,
      [id, guild.strangerId, ownerId, age],
    );
    await query(
      `INSERT INTO tickets (guild_id, number, subject, opened_by, opened_at) VALUES ($1, 1, 'x', $2, now() - $3::interval)`,
      [id, guild.strangerId, age],
    );
    return id;
  };
  const lately = await opened('59 minutes');
  await opened('61 minutes');
  await query(`SELECT pg_notify('bailiff', '{"kind": "begun"}')`);
  await query('SELECT tell_of_name($1)', [guild.strangerId]);
  await query(`SELECT pg_notify('bailiff', '{"kind": "over"}')`);
  await isOver.promise;
  await listener.close();
  expect(heard).toEqual([`case ${lately}`, `report ${lately}`, `ticket ${lately}`]);
});

it('files that could not be fetched do not count as kept', async () => {
  const [{ id }] = await query(
    "SELECT id FROM open_case($1, 'strike', 'str', $2, 'x', $3, NULL, NULL, 'minor')",
    [guild.id, guild.memberId, guild.ownerId],
  );
  const room = async () => (await query('SELECT evidence_room($1)::int AS room', [guild.id]))[0]?.room;
  const before = await room();
  await query(
    "INSERT INTO evidence (guild_id, case_id, name, size_bytes, problem) VALUES ($1, $2, 'x', 1000, 'unread')",
    [guild.id, id],
  );
  expect(await room()).toBe(before);
  await query(
    "INSERT INTO evidence (guild_id, case_id, name, size_bytes, content) VALUES ($1, $2, 'x', 1000, '')",
    [guild.id, id],
  );
  expect(await room()).toBe(before - 1000);
});

it('files of another guild take no room', async () => {
  const room = async () => (await query('SELECT evidence_room($1)::int AS room', [guild.id]))[0]?.room;
  const before = await room();
  const elsewhere = await seedGuild(test.database);
  await query(
    `INSERT INTO evidence (guild_id, case_id, name, size_bytes, content)
     SELECT $1, id, 'x', 1000, '' FROM open_case($1, 'strike', 'str', $2, 'x', $3, NULL, NULL, 'minor')`,
    [elsewhere.id, elsewhere.memberId, elsewhere.ownerId],
  );
  expect(await room()).toBe(before);
});

it.each([
  ['refused', '59 minutes', true],
  ['refused', '61 minutes', false],
  ['approved_call', '59 minutes', false],
])('a request that was %s %s ago asks nobody again: %s', async (state, age, holds) => {
  const [row] = await query('SELECT refusal_holds($1, now() - $2::interval) AS holds', [state, age]);
  expect(row).toEqual({ holds });
});

describe('jobs for which nobody waits come behind the others', () => {
  it('the message to who made a report', async () => {
    const [{ id }] = await query(
      `INSERT INTO reports (guild_id, number, user_id, reported_by, reason)
       VALUES ($1, 1, $2, $3, 'Spam') RETURNING id`,
      [guild.id, guild.memberId, guild.strangerId],
    );
    await query("UPDATE reports SET status = 'closed', closed_by = $2, closed_at = now() WHERE id = $1", [
      id,
      guild.ownerId,
    ]);
    expect([await priorityOf(`post_report:${id}`), await priorityOf(`tell_reporter:${id}`)]).toEqual([0, 10]);
  });

  it('the message to who gets a strike', async () => {
    const [action] = await query(
      `INSERT INTO actions (guild_id, operation, input, digest, actor_source, actor_user_id, request_id, claim_by, state)
       VALUES ($1, 'strikes.add', '{}', '', 'dashboard', $2, 'req_strike', now(), 'done') RETURNING id`,
      [guild.id, guild.ownerId],
    );
    const [{ id }] = await query(
      "SELECT id FROM open_case($1, 'strike', 'str', $2, 'x', $3, NULL, $4, 'minor')",
      [guild.id, guild.memberId, guild.ownerId, action.id],
    );
    expect(await priorityOf(`tell_target:${id}`)).toBe(10);
  });

  it('the decision about an appeal', async () => {
    const [{ id: caseId }] = await query(
      "SELECT id FROM open_case($1, 'strike', 'str', $2, 'x', $3, NULL, NULL, 'minor')",
      [guild.id, guild.memberId, guild.ownerId],
    );
    const [{ id }] = await query(
      `INSERT INTO appeals (guild_id, case_id, user_id, answers, language) VALUES ($1, $2, $3, '[]', 'en')
       RETURNING id`,
      [guild.id, caseId, guild.memberId],
    );
    await query("UPDATE appeals SET state = 'refused', decided_at = now() WHERE id = $1", [id]);
    expect(await priorityOf(`tell_appeal:${id}`)).toBe(10);
  });

  it.each([
    ['user', 'learn_subject'],
    ['channel', 'learn_channel'],
  ])('what is to be known of the %s of a call that waits for approval', async (type, task) => {
    const { id: tokenId } = await seedToken(test.database, guild);
    const target = snowflake();
    const [{ id }] = await query(
      `INSERT INTO approval_requests
         (token_id, guild_id, operation, target_type, target_id, input, digest, request_id, address, expires_at)
       VALUES ($1, $2, 'x', $3, $4, '{}', $4, 'req_asked', '::1', now() + interval '1 hour') RETURNING id`,
      [tokenId, guild.id, type, target],
    );
    expect(await priorityOf(`${task}:${type === 'user' ? id : target}`)).toBe(10);
  });

  it('the names of people', async () => {
    await query("SELECT open_case($1, 'strike', 'str', $2, 'x', $3, NULL, NULL, 'minor')", [
      guild.id,
      snowflake(),
      guild.ownerId,
    ]);
    expect(await priorityOf('learn_names')).toBe(10);
  });

  it('and what somebody waits for comes before them', async () => {
    await query("SELECT ask_for_caller('ask_member', '{}', 'req_asked')");
    expect(await priorityOf('ask_member:req_asked')).toBe(-10);
  });
});
