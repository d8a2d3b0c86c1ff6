// What the database tells the processes when rows change, for the pages that are open.
import { CAPABILITIES } from '@bailiff/core';
import { createTestDatabase, listenAtLast, type TestDatabase } from '@bailiff/prisma/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type ChangeKind, mayReceive, subscribersOf } from '#src/desk/changes.ts';
import { findSession } from '#src/desk/sessions.ts';
import { membersLeft } from '#src/guilds/mirror.ts';
import { setTier } from '#src/guilds/tiers.ts';
import { grantRole, type SeededGuild, seedGuild, seedSession, seedToken, snowflake } from '#src/testing.ts';
import { revokeAsOperator } from '#src/tokens/operator-tokens.ts';
import { revokeBySecret } from '#src/tokens/revoke-by-secret.ts';

let test: TestDatabase;
let guild: SeededGuild;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(async () => {
  guild = await seedGuild(test.database);
});

/** A statement about the guild, which is its $1, or any other work. */
type Step = string | (() => Promise<unknown>);

/** Takes the steps, and returns for each what kinds of changes it announces. */
async function announcedBy(steps: readonly Step[]): Promise<string[][]> {
  const heard: string[][] = [[]];
  const over = Promise.withResolvers<void>();
  const listener = await listenAtLast(test.url, ['bailiff', 'next'], (channel, payload) => {
    if (channel === 'next') heard.push([]);
    else {
      const { kind, guild_id } = JSON.parse(payload) as { kind: string; guild_id: string };
      if (guild_id === guild.id) heard.at(-1)?.push(kind);
    }
    if (heard.length > steps.length) over.resolve();
  });
  for (const step of steps) {
    await (typeof step === 'string' ? test.database.pool.query(step, [guild.id]) : step());
    await test.database.pool.query('NOTIFY next');
  }
  await over.promise;
  await listener.close();
  return heard.slice(0, steps.length).map((kinds) => [...new Set(kinds)]);
}

const ACTION = `INSERT INTO actions (guild_id, operation, input, digest, actor_source, actor_user_id, request_id, claim_by)
  VALUES ($1, 'channels.lock', '{}', '', 'chat', '1', 'req_lock', now()) RETURNING id`;
const TICKET =
  "INSERT INTO tickets (guild_id, number, subject, opened_by) VALUES ($1, 1, 'Hi', '1') RETURNING id";

it.each([
  [
    'a measure',
    'measure',
    `WITH action AS (${ACTION}) INSERT INTO measures (guild_id, kind, subject_id, action_id, before, after)
     SELECT $1, 'lock', '9', id, '{}', '{}' FROM action`,
    'UPDATE measures SET taken_at = now() WHERE guild_id = $1',
    'DELETE FROM measures WHERE guild_id = $1',
  ],
  [
    'a preset',
    'settings',
    "INSERT INTO reason_presets (guild_id, kind, name, reason) VALUES ($1, 'ban', 'Raid', 'Raid')",
    "UPDATE reason_presets SET reason = 'Part of a raid' WHERE guild_id = $1",
    'DELETE FROM reason_presets WHERE guild_id = $1',
  ],
  [
    'a channel of a topic',
    'settings',
    "INSERT INTO log_topics (guild_id, topic, channel_id) VALUES ($1, 'bans', '9')",
    "UPDATE log_topics SET problem = 'refused' WHERE guild_id = $1",
    'DELETE FROM log_topics WHERE guild_id = $1',
  ],
  [
    'an identity in a game',
    'note',
    `INSERT INTO identities (guild_id, user_id, platform, in_game_id, key, set_by)
     VALUES ($1, '1', 'minecraft', 'Notch', 'notch', '2')`,
    "UPDATE identities SET in_game_id = 'NOTCH' WHERE guild_id = $1",
    'DELETE FROM identities WHERE guild_id = $1',
  ],
  [
    'a step of the escalation',
    'settings',
    "INSERT INTO escalation_steps (guild_id, points, sanction) VALUES ($1, 3, 'ban')",
    'UPDATE escalation_steps SET points = 4 WHERE guild_id = $1',
    'DELETE FROM escalation_steps WHERE guild_id = $1',
  ],
  [
    'what a role may do',
    'settings',
    "INSERT INTO role_grants (guild_id, role_id, capabilities, granted_by) VALUES ($1, $1, '{bans.read}', '2')",
    "UPDATE role_grants SET capabilities = '{bans.write}' WHERE guild_id = $1",
    'DELETE FROM role_grants WHERE guild_id = $1',
  ],
  [
    'a note about a person',
    'note',
    "INSERT INTO notes (guild_id, user_id, text, written_by) VALUES ($1, '1', 'x', '2')",
    "UPDATE notes SET text = 'y' WHERE guild_id = $1",
    'DELETE FROM notes WHERE guild_id = $1',
  ],
  [
    'a channel',
    'channel',
    "INSERT INTO channels (guild_id, id, kind, name, position, overwrites) VALUES ($1, '9', 'text', 'log', 1, '[]')",
    "UPDATE channels SET name = 'mod-log' WHERE guild_id = $1",
    'DELETE FROM channels WHERE guild_id = $1',
  ],
  [
    'an import',
    'settings',
    `INSERT INTO imports (guild_id, source, file_name, file_size, begun_by) VALUES ($1, 'discord', '', 0, '2')`,
    'UPDATE imports SET finished_at = now() WHERE guild_id = $1',
    'DELETE FROM imports WHERE guild_id = $1',
  ],
])('%s is announced when it comes, changes and goes', async (_what, kind, ...statements) => {
  if (kind === 'settings') {
    await test.database.pool.query('INSERT INTO escalation_policies (guild_id) VALUES ($1)', [guild.id]);
  }
  expect(await announcedBy(statements)).toEqual([[kind], [kind], [kind]]);
});

it('what belongs together, the policy of escalation and a moderator who joins are announced', async () => {
  await test.database.pool.query(
    `INSERT INTO cases (id, guild_id, case_number, kind, user_id, issued_by)
     VALUES ('one_' || $1, $1, 1, 'ban', '1', '2'), ('other_' || $1, $1, 2, 'ban', '1', '2')`,
    [guild.id],
  );
  await grantRole(test.database, guild, guild.moderatorRoleId, ['bans.read']);
  const joins = (roleIds: string) =>
    `INSERT INTO members (guild_id, user_id, username, display_name, role_ids)
     VALUES ($1, '${snowflake()}', 'newcomer', 'Newcomer', '${roleIds}')`;
  expect(
    await announcedBy([
      "INSERT INTO case_links (guild_id, case_id, other_id, linked_by) VALUES ($1, 'one_' || $1, 'other_' || $1, '2')",
      'DELETE FROM case_links WHERE guild_id = $1',
      'INSERT INTO escalation_policies (guild_id) VALUES ($1)',
      'UPDATE escalation_policies SET decay_days = 7 WHERE guild_id = $1',
      'DELETE FROM escalation_policies WHERE guild_id = $1',
      joins(`{${guild.moderatorRoleId}}`),
      joins('{}'),
    ]),
  ).toEqual([['case'], ['case'], ['settings'], ['settings'], ['settings'], ['settings'], []]);
});

it('a token that ends without anybody at its page is announced, however it ends', async () => {
  const { database } = test;
  const { secret } = await seedToken(database, guild);
  const { id: tokenId } = await seedToken(database, guild);
  const issuerId = guild.moderatorId;
  await seedToken(database, guild, { issuerId });
  await seedToken(database, guild);
  const kinds = await announcedBy([
    () => revokeBySecret(database, { secret, requestId: 'req_given_back', address: '192.0.2.1' }),
    () => revokeAsOperator(database, { tokenId }),
    () => membersLeft(database, guild.id, [issuerId]),
    () => setTier(database, guild.id, 'free'),
  ]);
  for (const each of kinds) expect(each).toContain('token');
});

it('a note of a ticket, a rating and what the bot and its roles may do are announced', async () => {
  const { pool } = test.database;
  const { rows } = await pool.query<{ id: string }>(TICKET, [guild.id]);
  const id = rows[0]?.id;
  await pool.query('UPDATE members SET bot = true WHERE guild_id = $1 AND user_id = $2', [
    guild.id,
    guild.botId,
  ]);
  expect(
    await announcedBy([
      `INSERT INTO ticket_notes (guild_id, ticket_id, text, written_by) VALUES ($1, '${id}', 'x', '2')`,
      'DELETE FROM ticket_notes WHERE guild_id = $1',
      `INSERT INTO ticket_feedback (ticket_id, closed_at, guild_id, state) VALUES ('${id}', now(), $1, 'told')`,
      'UPDATE ticket_feedback SET rating = 5 WHERE guild_id = $1',
      "UPDATE members SET role_ids = '{}' WHERE guild_id = $1 AND bot",
      'UPDATE roles SET permissions = 8 WHERE guild_id = $1',
    ]),
  ).toEqual([['ticket'], ['ticket'], ['ticket'], ['ticket'], ['channel'], ['channel']]);
});

it('a guild announces each of its settings that a page shows, and nothing when they stay as they are', async () => {
  const settings = [
    "name = 'Lighthouse'",
    "tier = 'free'",
    'grants_confirmed_at = NULL',
    "log_channel_id = '9'",
    "reports_channel_id = '9'",
    "language = 'de'",
    'notifies_targets = NOT notifies_targets',
    "notice_words = 'Write to us'",
    'notice_colour = 255',
    "public_answers = '{bans.add}'",
    'alerts_joins = NOT alerts_joins',
    'alerts_quiet_days = 7',
    'hides_first_steps = NOT hides_first_steps',
    'log_channel_posted_at = now()',
    "log_channel_problem = 'refused'",
    'mirrored_at = NULL',
    "mirror_problem = 'no_answer'",
  ];
  const changes = settings.map((setting) => `UPDATE guilds SET ${setting} WHERE id = $1`);
  expect(await announcedBy(changes)).toEqual(settings.map(() => ['settings']));
  expect(
    await announcedBy(['UPDATE guilds SET words_seen_until = now(), language = language WHERE id = $1']),
  ).toEqual([[]]);
});

it('nothing is heard any more on a page whose session is over, or of a guild that the bot has left', async () => {
  await seedSession(test.database, guild.ownerId, 'page');
  const { key: sessionKey = '' } = (await findSession(test.database, 'page')) ?? {};
  const heard = () => subscribersOf(test.database, [{ guildId: guild.id, sessionKey }]);
  const setting = (table: 'guilds' | 'sessions', change: string) =>
    test.database.pool.query(`UPDATE ${table} SET ${change}`);
  expect(await heard()).toMatchObject([{ isOwner: true }]);
  await setting('guilds', 'left_at = now()');
  expect(await heard()).toEqual([null]);
  await setting('guilds', 'left_at = NULL');
  await setting('sessions', "expires_at = now() - interval '1 second'");
  expect(await heard()).toEqual([null]);
});

it('a change is heard by who may read what has changed, and by the owner', () => {
  const heardWith: Partial<Record<ChangeKind, readonly string[]>> = {
    appeal: ['appeals.read'],
    approval: [],
    audit: ['audit.read'],
    case: ['bans.read', 'mutes.read', 'strikes.read'],
    channel: [],
    conversation: ['tickets.read'],
    measure: ['channels.write', 'roles.write'],
    note: ['members.read'],
    report: ['reports.read'],
    server: ['servers.rcon', 'servers.read'],
    ticket: ['tickets.read'],
    token: [],
    window: [],
  };
  for (const [kind, needed] of Object.entries(heardWith) as [ChangeKind, readonly string[]][]) {
    const hear = CAPABILITIES.filter((each) => mayReceive(kind, { isOwner: false, capabilities: [each] }));
    expect(hear.toSorted(), kind).toEqual(needed);
    expect(mayReceive(kind, { isOwner: true, capabilities: [] }), kind).toBe(true);
  }
});
