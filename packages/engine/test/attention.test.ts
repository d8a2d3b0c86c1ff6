import { randomBytes } from 'node:crypto';
import type { Capability } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { createTestDatabase, type TestDatabase } from '@bailiff/prisma/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Attention, attentionFor, countAttention } from '#src/desk/attention.ts';
import { type SeededGuild, seedGuild, seedToken, seedWindow } from '#src/testing.ts';

let db: TestDatabase;
let guild: SeededGuild;

beforeAll(async () => {
  db = await createTestDatabase();
  guild = await seedGuild(db.database);
  // Another guild with all of it: nothing there counts here.
  for (const each of [guild, await seedGuild(db.database)]) await seedEverything(each);
});
afterAll(() => db.drop());

const sql = (text: string, ...values: unknown[]) => db.database.pool.query(text, values);

/** One of each that counts, beside those that must not. */
async function seedEverything(each: SeededGuild): Promise<void> {
  const expiring = async (within: string, change = '') => {
    const token = await seedToken(db.database, each);
    await sql(
      `UPDATE tokens SET expires_at = now() + $2::interval ${change} WHERE id = $1`,
      token.id,
      within,
    );
    return token;
  };
  const token = await expiring('6 days 23 hours');
  await expiring('7 days 1 hour', ', rotation_required_at = now()');
  await expiring('-1 hours', ', rotation_required_at = now()');
  await expiring('5 days', ", rotation_required_at = now(), issuer_id = '1'"); // of a former owner
  const revoked = await expiring('2 days', ', revoked_at = now(), rotation_required_at = now()');

  const ask = ({ id }: { id: string }, expiresIn: string, state = 'pending') =>
    sql(
      `INSERT INTO approval_requests (token_id, guild_id, operation, input, digest, request_id, address, expires_at, state)
       VALUES ($1, $2, 'bans.add', '{}', $3, 'req_1', '192.0.2.1', now() + $4::interval, $5::"ApprovalState")`,
      ...[id, each.id, randomBytes(32).toString('hex'), expiresIn, state],
    );
  await ask(token, '1 hour');
  await ask(token, '-1 second');
  await ask(token, '1 hour', 'refused');
  await ask(revoked, '1 hour');
  const opened = await seedToken(db.database, each);
  await ask(opened, '1 hour'); // a window of its token is open

  await seedWindow(db.database, each, opened);
  await seedWindow(db.database, each, token, 'd'.repeat(64));
  const closed = await seedWindow(db.database, each, token);
  await sql('UPDATE windows SET closed_at = now() WHERE id = $1', closed);
  const over = await seedWindow(db.database, each, token);
  await sql(
    "UPDATE windows SET opened_at = now() - interval '1 hour', expires_at = now() - make_interval(secs => 1) WHERE id = $1",
    over,
  );

  for (const [number, status] of ['open', 'open', 'claimed', 'closed'].entries()) {
    await sql(
      `INSERT INTO tickets (guild_id, number, subject, status, opened_by) VALUES ($1, $2, 'Help', $3::"TicketStatus", '1')`,
      ...[each.id, number + 1, status],
    );
  }
  for (const [number, failed, ended] of [
    [1, true, false],
    [2, false, false],
    [3, true, true],
  ]) {
    await sql(
      `INSERT INTO cases (id, guild_id, case_number, kind, user_id, issued_by, expires_at, end_failed_at, ended_at)
       VALUES ('ban_' || $2::int || $1, $1, $2::int, 'ban', '1', '1', now(), CASE WHEN $3 THEN now() END, CASE WHEN $4 THEN now() END)`,
      ...[each.id, number, failed, ended],
    );
  }
  for (const [number, state] of ['sent', 'in_review', 'refused'].entries()) {
    await sql(
      `INSERT INTO appeals (guild_id, case_id, user_id, answers, language, state)
       VALUES ($1, 'ban_' || $2::int || $1, '1', '[]', 'en', $3::"AppealState")`,
      ...[each.id, number + 1, state],
    );
  }
  for (const [number, status] of ['open', 'claimed', 'closed'].entries()) {
    await sql(
      `INSERT INTO reports (guild_id, number, status, user_id, reported_by, reason)
       VALUES ($1, $2, $3::"ReportStatus", '1', '2', 'Spam')`,
      ...[each.id, number + 1, status],
    );
  }
  for (const reachable of [true, false, null]) {
    await sql(
      `INSERT INTO game_servers (guild_id, name, host, port, password_sealed, created_by, reachable)
       VALUES ($1, 'Survival', '192.0.2.1', 25575, '', '1', $2)`,
      ...[each.id, reachable],
    );
  }
  for (const [state, age] of [
    ['unknown', '23 hours'],
    ['unknown', '25 hours'],
    ['failed', '1 hour'],
  ]) {
    await sql(
      `INSERT INTO actions (guild_id, operation, input, digest, state, actor_source, actor_user_id, request_id, created_at, claim_by)
       VALUES ($1, 'bans.add', '{}', 'd', $2::"ActionState", 'chat', '1', 'req_1', now() - $3::interval, now())`,
      ...[each.id, state, age],
    );
  }
  for (const problem of ['unknown_channel', null]) {
    const topic = problem === null ? 'mutes' : 'bans';
    await sql("INSERT INTO log_topics (guild_id, topic, channel_id) VALUES ($1, $2, '1')", each.id, topic);
    await sql(
      'UPDATE log_topics SET problem = $3 WHERE guild_id = $1 AND topic = $2',
      each.id,
      topic,
      problem,
    );
  }
  await sql("UPDATE guilds SET grants_confirmed_at = NULL, log_channel_id = '2' WHERE id = $1", each.id);
  await sql("UPDATE guilds SET log_channel_problem = 'missing_permission' WHERE id = $1", each.id);
}

const SHOWN_TO_OWNER: Attention = {
  countedAt: expect.any(String),
  grantsUnconfirmed: true,
  firstStepsDone: ['tickets', 'token'],
  logChannelProblem: 'missing_permission',
  logTopicsBroken: 1,
  pendingApprovals: 1,
  openWindows: 1,
  tokensToRotate: 1,
  tokensExpiring: 1,
  serversDown: 1,
  servers: 3,
  openTickets: 2,
  claimedTickets: 1,
  openAppeals: 2,
  newAppeals: 1,
  openReports: 1,
  bansNotLifted: 1,
  unknownActions: 1,
};

async function shownTo(...capabilities: Capability[]): Promise<Partial<Attention>> {
  const counted = await countAttention(db.database, guild.id);
  if (counted === null) throw new Error('The guild is not there.');
  const { countedAt: _, ...shown } = attentionFor(counted, { isOwner: false, capabilities });
  return Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== null));
}

test('an owner is shown what waits in their guild, and nothing that is over', async () => {
  verifies('dashboard.attention');
  const counted = await countAttention(db.database, guild.id);
  expect(counted && attentionFor(counted, { isOwner: true, capabilities: [] })).toEqual(SHOWN_TO_OWNER);
  expect(await countAttention(db.database, '1')).toBeNull();
});

test('a moderator is shown what their capabilities open, and nothing of the owner’s', async () => {
  const { servers, serversDown, openTickets, claimedTickets, bansNotLifted, unknownActions } = SHOWN_TO_OWNER;
  const { openAppeals, newAppeals, openReports } = SHOWN_TO_OWNER;
  expect(await shownTo('bans.write')).toEqual({});
  expect(await shownTo('bans.read')).toEqual({ bansNotLifted });
  expect(await shownTo('servers.rcon')).toEqual({ servers, serversDown });
  expect(await shownTo('tickets.read')).toEqual({ openTickets, claimedTickets });
  expect(await shownTo('appeals.read')).toEqual({ openAppeals, newAppeals });
  expect(await shownTo('reports.read')).toEqual({ openReports });
  expect(await shownTo('audit.read')).toEqual({ unknownActions });
});

test('a guild without a log channel has no part of the log that waits for a channel', async () => {
  const other = await seedGuild(db.database);
  const broken = async () => (await countAttention(db.database, other.id))?.log_topics_broken;
  await sql("UPDATE guilds SET log_channel_id = '2' WHERE id = $1", other.id);
  await sql("INSERT INTO log_topics (guild_id, topic, channel_id) VALUES ($1, 'bans', '1')", other.id);
  await sql("UPDATE log_topics SET problem = 'unknown_channel' WHERE guild_id = $1", other.id);
  expect(await broken()).toBe(1);
  await sql('UPDATE guilds SET log_channel_id = NULL WHERE id = $1', other.id);
  expect(await broken()).toBe(0);
});
