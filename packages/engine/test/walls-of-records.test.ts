// What the web process's own login may not write of cases, tickets, reports and audit rows, although the session of
// somebody who may do nearly everything, or the secret of a token, is shown in the same transaction.
import { type Capability, secretProof } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { type Database, openDatabase } from '@bailiff/prisma';
import { createTestDatabase, LONG_LIMITS, type TestDatabase } from '@bailiff/prisma/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findSession } from '#src/desk/sessions.ts';
import {
  grantRole,
  type SeededGuild,
  type SeededToken,
  seedGuild,
  seedSession,
  seedToken,
} from '#src/testing.ts';
import { DENIED, refusal, submissionOf } from './walls.ts';

let database: TestDatabase;
let web: Database;
let guild: SeededGuild;
/** A guild of somebody else's. */
let other: SeededGuild;
let token: SeededToken;

beforeAll(async () => {
  database = await createTestDatabase();
  web = openDatabase(database.processUrls.web, { ...LONG_LIMITS, applicationName: 'web' });
  const { database: db } = database;
  guild = await seedGuild(db);
  other = await seedGuild(db);
  token = await seedToken(db, guild);
  await seedSession(db, guild.ownerId, 'owner');
  await seedSession(db, guild.moderatorId, 'moderator');
  await seedSession(db, guild.strangerId, 'stranger');
  await grantRole(db, guild, guild.moderatorRoleId, ['audit.read', 'strikes.write']);
  for (const { id, ownerId, memberId } of [guild, other]) {
    await db.pool.query(
      `WITH opened AS (
         SELECT open_case($1, kind::"CaseKind", prefix, $2, 'x', $3, NULL, NULL)
         FROM (VALUES ('ban', 'ban'), ('strike', 'str')) AS kinds (kind, prefix)),
       reported AS (
         INSERT INTO reports (guild_id, number, user_id, reported_by, reason) VALUES ($1, 1, $2, $3, 'x')),
       ticket AS (
         INSERT INTO tickets (guild_id, number, subject, opened_by, channel_id)
         VALUES ($1, 1, 'x', $2, '123456789012345678'))
       SELECT count(*) FROM opened`,
      [id, memberId, ownerId],
    );
    await db.pool.query(
      `WITH noted AS (INSERT INTO notes (guild_id, user_id, text, written_by) VALUES ($1, '1', 'x', $2))
       INSERT INTO ticket_notes (guild_id, ticket_id, text, written_by)
       SELECT guild_id, id, 'x', $2 FROM tickets WHERE guild_id = $1`,
      [id, ownerId],
    );
  }
});
afterAll(async () => {
  await web.close();
  await database.drop();
});

const inSession = async (cookie: string) =>
  submissionOf(guild, token, {
    actor_source: 'dashboard',
    session_proof: (await findSession(web, cookie))?.proof,
    performed_by: 'store',
    capability: null,
  });

/** A call with the token, without any window, of which the web process says that it needs none. */
const withToken = () =>
  submissionOf(guild, token, {
    actor_source: 'token',
    secret_proof: secretProof(token.secret).toString('hex'),
    performed_by: 'store',
    capability: null,
  });

const caseOf = ({ id }: SeededGuild, kind: string) =>
  `(SELECT id FROM cases WHERE guild_id = '${id}' AND kind = '${kind}' ORDER BY id LIMIT 1)`;
/** The action that was admitted in this transaction. */
const ADMITTED = '(SELECT id FROM actions WHERE xmin = pg_current_xact_id()::xid)';
const opened = (kind: string, prefix: string, by: string) =>
  `SELECT open_case('${guild.id}', '${kind}', '${prefix}', '1', 'x', '${by}', NULL, ${ADMITTED}, 'minor')`;
const changed = (id: string, caseId: string) =>
  `INSERT INTO case_changes (guild_id, case_id, action_id, changed_by, before, after)
   VALUES ('${id}', ${caseId}, ${ADMITTED}, '${guild.ownerId}', '{}', '{"expires_at": null}')`;
const linked = (one: string, two: string) =>
  `INSERT INTO case_links (guild_id, case_id, other_id, linked_by)
   VALUES ('${guild.id}', ${one}, ${two}, '${guild.ownerId}')`;
const ended = (caseId: string) =>
  `UPDATE cases SET ended_at = now(), ended_by = '${guild.ownerId}', end_action_id = ${ADMITTED} WHERE id = ${caseId}`;

const uploaded = (caseId: string, bytes: number, name = 'x') =>
  `SELECT upload_evidence(${caseId}, ${ADMITTED}, '${name}', convert_to(repeat('x', ${bytes}), 'UTF8'))`;

const NEVER: readonly [string, () => string][] = [
  [
    'have the bot lift a ban, by a time that is over',
    () => `UPDATE cases SET expires_at = now() WHERE id = ${caseOf(guild, 'ban')}`,
  ],
  [
    'call a ban a strike, for whoever may remove strikes',
    () => `UPDATE cases SET kind = 'strike' WHERE id = ${caseOf(guild, 'ban')}`,
  ],
  [
    'give a case to somebody else',
    () => `UPDATE cases SET user_id = '${guild.moderatorId}' WHERE id = ${caseOf(guild, 'strike')}`,
  ],
  ['open a ban that did not happen', () => opened('ban', 'ban', guild.ownerId)],
  ['end a ban that stands', () => ended(caseOf(guild, 'ban'))],
  [
    'give a strike for which no call was admitted, as if a person had',
    () =>
      `SELECT open_case('${guild.id}', 'strike', 'str', '1', 'x', '${guild.ownerId}', NULL, NULL, 'minor')`,
  ],
  ['give a strike as somebody else', () => opened('strike', 'str', guild.memberId)],
  ["change a case of another guild's", () => changed(guild.id, caseOf(other, 'ban'))],
  ["link a case of another guild's", () => linked(caseOf(guild, 'ban'), caseOf(other, 'ban'))],
  [
    'have the bot delete another channel with a ticket',
    () => `UPDATE tickets SET channel_id = '1' WHERE guild_id = '${guild.id}'`,
  ],
  [
    'rewrite what was said in a ticket',
    () => `UPDATE tickets SET transcript = '[]' WHERE guild_id = '${guild.id}'`,
  ],
  [
    'claim a ticket as somebody else',
    () =>
      `UPDATE tickets SET status = 'claimed', claimed_by = '${guild.memberId}' WHERE guild_id = '${guild.id}'`,
  ],
  [
    'give a ticket to who may not work on tickets',
    () => `SELECT assign_ticket(id, '${guild.memberId}') FROM tickets WHERE guild_id = '${guild.id}'`,
  ],
  [
    "give away a ticket of another guild's",
    () => `SELECT assign_ticket(id, '${other.ownerId}') FROM tickets WHERE guild_id = '${other.id}'`,
  ],
  [
    'say that somebody else gave a ticket away',
    () =>
      `UPDATE tickets SET status = 'claimed', claimed_by = '${guild.ownerId}', assigned_by = '${guild.memberId}'
       WHERE guild_id = '${guild.id}'`,
  ],
  [
    'have the bot close a ticket, by a time that is over',
    () => `UPDATE tickets SET closes_at = now(), close_asked_at = now() WHERE guild_id = '${guild.id}'`,
  ],
  [
    "ask the opener of another guild's ticket whether it is solved",
    () => `SELECT ask_to_close(id) FROM tickets WHERE guild_id = '${other.id}'`,
  ],
  [
    "write a note on another guild's ticket",
    () => `SELECT write_ticket_note(id, 'x') FROM tickets WHERE guild_id = '${other.id}'`,
  ],
  [
    'write a note on a ticket as somebody else',
    () =>
      `INSERT INTO ticket_notes (guild_id, ticket_id, text, written_by)
       SELECT guild_id, id, 'x', '${guild.memberId}' FROM tickets WHERE guild_id = '${guild.id}'`,
  ],
  [
    'rate the help with a ticket',
    () =>
      `INSERT INTO ticket_feedback (ticket_id, closed_at, guild_id, state, rating)
       SELECT id, now(), guild_id, 'told', 5 FROM tickets WHERE guild_id = '${guild.id}'`,
  ],
  [
    "remove a note on another guild's ticket",
    () => `SELECT remove_ticket_note(id) FROM ticket_notes WHERE guild_id = '${other.id}'`,
  ],
  [
    'close a report as somebody else',
    () =>
      `UPDATE reports SET status = 'closed', closed_by = '${guild.memberId}' WHERE guild_id = '${guild.id}'`,
  ],
  [
    'write a note as somebody else',
    () =>
      `INSERT INTO notes (guild_id, user_id, text, written_by) VALUES ('${guild.id}', '1', 'x', '${guild.memberId}')`,
  ],
  [
    'remove a note in another guild',
    () => `SELECT remove_note(id) FROM notes WHERE guild_id = '${other.id}'`,
  ],
  [
    'take back the text of a call',
    () => `SELECT forget_note_text('1', '${guild.id}', 'notes.add', '1', '1', now())`,
  ],
  [
    'keep an identity as somebody else',
    () =>
      `INSERT INTO identities (guild_id, user_id, platform, in_game_id, key, set_by)
       VALUES ('${guild.id}', '1', 'other', 'x', 'x', '${guild.memberId}')`,
  ],
  ["put a file into another guild's case", () => uploaded(caseOf(other, 'strike'), 1)],
  [
    'put a file into a case that is larger than any may be',
    () => uploaded(caseOf(guild, 'strike'), 8 * 1024 * 1024 + 1),
  ],
  [
    'put more than 50 files into a case',
    () => `${uploaded(caseOf(guild, 'strike'), 1)} FROM generate_series(1, 51)`,
  ],
  [
    'put a file into a case under a name longer than any may be',
    () => uploaded(caseOf(guild, 'strike'), 1, 'x'.repeat(256)),
  ],
  ['say that an escalation is not settled', () => 'UPDATE escalations SET settled_at = NULL'],
];

it.each(NEVER)('the web process cannot %s', async (_what, statement) => {
  verifies('db.web-role');
  expect(await refusal(web, await inSession('owner'), statement())).toBe(DENIED);
  expect(await refusal(web, withToken(), statement())).toBe(DENIED);
});

it('the web process has the bot read the channel of a ticket only for who may read tickets there', async () => {
  verifies('db.web-role', 'tickets.conversation.who');
  const ask = async (cookie: string, { id }: SeededGuild, ticketOf = id) => {
    const { rows } = await web.pool.query(
      `SELECT ask_conversation($1, $2, (SELECT id FROM tickets WHERE guild_id = $3), NULL, $4) AS asked`,
      [(await findSession(web, cookie))?.proof, id, ticketOf, cookie],
    );
    return rows[0].asked;
  };
  expect(await ask('moderator', guild)).toBe(false);
  expect(await ask('owner', other)).toBe(false);
  expect(await ask('owner', guild, other.id)).toBe(false);
  expect(await ask('owner', guild)).toBe(true);
  const { rows } = await database.database.pool.query(
    "SELECT payload FROM graphile_worker._private_jobs WHERE key LIKE 'read_conversation:%'",
  );
  expect(rows.map(({ payload }) => payload)).toMatchObject([
    { guild_id: guild.id, channel_id: '123456789012345678', user_id: guild.ownerId },
  ]);
  const set = (status: string) =>
    database.database.pool.query('UPDATE tickets SET status = $2::"TicketStatus" WHERE guild_id = $1', [
      guild.id,
      status,
    ]);
  await set('closed');
  expect(await ask('owner', guild)).toBe(false);
  await set('open');
  const leave = (when: string) =>
    database.database.pool.query(`UPDATE guilds SET left_at = ${when} WHERE id = $1`, [guild.id]);
  await leave('now()');
  expect(await ask('owner', guild)).toBe(false);
  await leave('NULL');
  await expect(
    web.pool.query("SELECT ask_conversation($1, $2, 'x', NULL, 'r')", ['ab'.repeat(32), guild.id]),
  ).rejects.toMatchObject({ code: 'BF002' });
});

it.each<[string, () => string]>([
  ['give a strike', () => opened('strike', 'str', guild.ownerId)],
  ['remove a strike', () => ended(caseOf(guild, 'strike'))],
  ['change a case', () => changed(guild.id, caseOf(guild, 'ban'))],
  ['link two cases', () => linked(caseOf(guild, 'ban'), caseOf(guild, 'strike'))],
  [
    'claim a ticket',
    () =>
      `UPDATE tickets SET status = 'claimed', claimed_by = '${guild.ownerId}' WHERE guild_id = '${guild.id}'`,
  ],
  [
    'give a ticket to who may work on tickets',
    () => `SELECT assign_ticket(id, '${guild.ownerId}') FROM tickets WHERE guild_id = '${guild.id}'`,
  ],
  [
    'write and remove a note on a ticket',
    () => `SELECT remove_ticket_note(write_ticket_note(id, 'x')) FROM tickets WHERE guild_id = '${guild.id}'`,
  ],
  ['remove a note on a person', () => `SELECT remove_note(id) FROM notes WHERE guild_id = '${guild.id}'`],
  [
    'claim a report',
    () =>
      `UPDATE reports SET status = 'claimed', claimed_by = '${guild.ownerId}' WHERE guild_id = '${guild.id}'`,
  ],
])('the web process can %s in the session of who may', async (_what, statement) => {
  expect(await refusal(web, await inSession('owner'), statement())).toBeNull();
});

it.each([
  ['write a note', () => `SELECT write_ticket_note(id, 'x') FROM tickets WHERE guild_id = '${guild.id}'`],
  ['remove a note', () => `SELECT remove_ticket_note(id) FROM ticket_notes WHERE guild_id = '${guild.id}'`],
  [
    'give a ticket to somebody',
    () => `SELECT assign_ticket(id, '${guild.ownerId}') FROM tickets WHERE guild_id = '${guild.id}'`,
  ],
  ['ask whether it is solved', () => `SELECT ask_to_close(id) FROM tickets WHERE guild_id = '${guild.id}'`],
])('the web process does not %s in the session of who may only read tickets', async (_what, statement) => {
  verifies('db.web-role');
  const grant = (...more: Capability[]) =>
    grantRole(database.database, guild, guild.moderatorRoleId, ['audit.read', 'strikes.write', ...more]);
  await grant('tickets.read');
  expect(await refusal(web, await inSession('moderator'), statement())).toBe(DENIED);
  await grant();
});

it('the web process gives a closed ticket to nobody', async () => {
  verifies('db.web-role');
  const set = (status: string) =>
    database.database.pool.query('UPDATE tickets SET status = $2::"TicketStatus" WHERE guild_id = $1', [
      guild.id,
      status,
    ]);
  await set('closed');
  const assign = `SELECT assign_ticket(id, '${guild.ownerId}') FROM tickets WHERE guild_id = '${guild.id}'`;
  expect(await refusal(web, await inSession('owner'), assign)).toBe(DENIED);
  await set('open');
});

it('the web process puts a file into a case in a session, and over no token', async () => {
  verifies('db.web-role');
  const upload = uploaded(caseOf(guild, 'strike'), 1);
  expect(await refusal(web, withToken(), upload)).toBe(DENIED);
  const toBan = uploaded(caseOf(guild, 'ban'), 1);
  expect(await refusal(web, await inSession('moderator'), toBan)).toBe(DENIED);
  expect(await refusal(web, await inSession('owner'), upload)).toBeNull();
});

it('the web process reads a file in the session of who may, until the bot has left the guild', async () => {
  verifies('db.web-role', 'evidence.download');
  const { pool } = database.database;
  const left = await seedGuild(database.database);
  await seedSession(database.database, left.ownerId, 'owner of the other');
  await pool.query(
    `SELECT keep_evidence((open_case($1, 'strike', 'str', '1', 'x', $2, NULL, NULL, 'minor')).id, 'x', 1, '\\x01', NULL)`,
    [left.id, left.ownerId],
  );
  const read = async (cookie: string) => {
    const { rows } = await web.pool.query(
      `SELECT part FROM evidence e, read_evidence($1, $2, e.id, 0, 10) WHERE e.guild_id = $2`,
      [(await findSession(web, cookie))?.proof, left.id],
    );
    return rows;
  };
  expect(await read('owner')).toEqual([]);
  expect(await read('owner of the other')).toEqual([{ part: Buffer.from([1]) }]);
  await pool.query('UPDATE guilds SET left_at = now() WHERE id = $1', [left.id]);
  expect(await read('owner of the other')).toEqual([]);
});

it('the web process asks whether a ticket is solved in a session, and over no token', async () => {
  const ask = `SELECT ask_to_close(id) FROM tickets WHERE guild_id = '${guild.id}'`;
  expect(await refusal(web, withToken(), ask)).toBe(DENIED);
  expect(await refusal(web, await inSession('owner'), ask)).toBeNull();
});

const CHANGED = 'guild.update';
const record = async (cookie: string, { id }: SeededGuild, operation: string) => ({
  text: 'SELECT record_change($1)',
  values: [
    JSON.stringify({
      guild_id: id,
      operation,
      target_type: 'guild',
      target_id: id,
      request_id: 'req_wall',
      session_proof: (await findSession(web, cookie))?.proof,
    }),
  ],
});

it('the web process tells no guild of changes by somebody who may make none', async () => {
  verifies('db.web-role');
  expect(await refusal(web, await record('owner', other, CHANGED))).toBe(DENIED);
  expect(await refusal(web, await record('owner', other, 'audit.export'))).toBe(DENIED);
  expect(await refusal(web, await record('moderator', guild, CHANGED))).toBe(DENIED);
  expect(await refusal(web, await record('moderator', guild, 'audit.export'))).toBeNull();
  expect(await refusal(web, await record('owner', guild, CHANGED))).toBeNull();
});

describe('the ban that strikes lead to', () => {
  const newStrike = '(SELECT id FROM cases WHERE xmin = pg_current_xact_id()::xid)';
  /** What has the bot ban for a strike, if a person gave it. */
  const escalated = (strike: string) =>
    `INSERT INTO escalations (strike_id, guild_id, points, sanction) VALUES (${strike}, '${guild.id}', 3, 'ban');
     SELECT ask_bot('escalate', ${strike})`;
  const ofSource = (source: string) =>
    `(SELECT id FROM actions WHERE xmin = pg_current_xact_id()::xid AND actor_source = '${source}')`;
  const strike = (by: string, actionId: string) =>
    `SELECT open_case('${guild.id}', 'strike', 'str', '1', 'x', '${by}', NULL, ${actionId}, 'major')`;
  const worse = () => `UPDATE cases SET severity = 'major' WHERE id = ${caseOf(guild, 'strike')}`;

  it('comes of no strike that a token gave with the call of a person who may do nothing', async () => {
    verifies('db.web-role');
    const stranger = await inSession('stranger');
    const given = strike(guild.ownerId, ofSource('dashboard'));
    expect(await refusal(web, stranger, withToken(), given)).toBe(DENIED);
    expect(await refusal(web, withToken(), stranger, given, withToken())).toBe(DENIED);
    expect(await refusal(web, stranger, withToken(), given, escalated(newStrike))).toBe(DENIED);
    const removed = `UPDATE cases SET ended_at = now(), ended_by = '${guild.ownerId}',
      end_action_id = ${ofSource('dashboard')} WHERE id = ${caseOf(guild, 'strike')}`;
    expect(await refusal(web, stranger, withToken(), removed)).toBe(DENIED);
  });

  it('comes of nothing that a token does, not even to the strike of a person', async () => {
    verifies('db.web-role');
    const byToken = strike(guild.ownerId, ofSource('token'));
    expect(await refusal(web, withToken(), byToken)).toBeNull();
    expect(await refusal(web, withToken(), byToken, escalated(newStrike))).toBe(DENIED);
    expect(await refusal(web, withToken(), worse(), escalated(caseOf(guild, 'strike')))).toBe(DENIED);
  });

  it('comes of the strike of who may give one', async () => {
    const given = strike(guild.moderatorId, ofSource('dashboard'));
    expect(await refusal(web, await inSession('moderator'), given, escalated(newStrike))).toBeNull();
  });
});
