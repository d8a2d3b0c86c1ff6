// What is left of a person and of a guild that were forgotten: in every table of the schema.
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { verifies } from '@bailiff/core/testing';
import { openDatabase } from '@bailiff/prisma';
import { createTestDatabase, LONG_LIMITS, type TestDatabase } from '@bailiff/prisma/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listAuditLog } from '#src/audit/audit-log.ts';
import { keepDirectChannel } from '#src/cases/direct-channels.ts';
import { forgetDeletedGuilds, forgetGuild, forgetPerson } from '#src/guilds/forget.ts';
import { type SeededGuild, seedGuild, seedToken, seedWindow, snowflake } from '#src/testing.ts';
import { fillEveryTable, found } from './every-table.ts';
import { engineOn, guard, refusalOf, strike } from './faults-calls.ts';

const ROOT = resolve(import.meta.dirname, '..', '..', '..');

let database: TestDatabase;
let guild: SeededGuild;
beforeEach(async () => {
  database = await createTestDatabase();
  guild = await seedGuild(database.database);
});
afterEach(() => database.drop());

const query = async (text: string, ...values: unknown[]) =>
  (await database.database.pool.query(text, values)).rows;

/** `npm run forget`, as an operator types it. */
function forget(...words: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/forget.ts', ...words], {
    cwd: ROOT,
    env: { ...process.env, DATABASE_URL: database.url },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

test('nothing of a person is left in any column of any table, and others stay as they were', async () => {
  verifies('ops.forget');
  const { pool } = database.database;
  const [person, longer, left] = [snowflake(), snowflake(), snowflake()];
  const tables = await fillEveryTable(pool, left, person);
  expect(tables.length).toBeGreaterThan(40);
  await query('UPDATE guilds SET left_at = now() WHERE id = $1', left);
  await query("UPDATE actions SET state = 'done'");
  await query(
    `SELECT graphile_worker.add_job('ask_member', json_build_object('user_id', $1::text)),
       graphile_worker.add_job('ask_member', queue_name => $1),
       graphile_worker.add_job('ask_member', job_key => $1)`,
    person,
  );
  // Another's id that contains this one must not change.
  await query("INSERT INTO known_names VALUES ($1, 'x', 'x')", `9${person}`);
  await query("INSERT INTO known_names VALUES ($1, 'other', 'Other')", longer);
  expect(new Set((await found(pool, person)).map((place) => place.split('.')[0])).size).toBeGreaterThan(30);

  const rehearsed = await forgetPerson(database.database, person, { rehearse: true });
  expect((await found(pool, person)).length).toBeGreaterThan(30);
  expect(await forgetPerson(database.database, person, { rehearse: false })).toEqual(rehearsed);
  expect(await found(pool, person)).toEqual(['known_names.user_id']);
  expect(
    (await query('SELECT user_id FROM known_names ORDER BY user_id')).map(({ user_id }) => user_id),
  ).toEqual([`9${person}`, longer].sort());
});

async function seedRecord(person: string): Promise<void> {
  const { pool } = database.database;
  await pool.query("INSERT INTO known_names VALUES ($1, 'hanna', 'Hanna Berg')", [person]);
  await pool.query(
    `INSERT INTO cases (id, guild_id, case_number, kind, user_id, reason, issued_by, severity, player_name, in_game_id)
     VALUES ('str_1', $1, 1, 'strike', $2, 'Hanna lied', $3, 'minor', 'HannaB', 'steam-76561'),
       ('str_2', $1, 2, 'strike', $3, 'spam', $2, 'minor', NULL, NULL)`,
    [guild.id, person, guild.memberId],
  );
  await pool.query(
    `INSERT INTO actions (guild_id, operation, input, digest, target_type, target_id, actor_source, actor_user_id,
       request_id, claim_by, state, result, address)
     VALUES ($1, 'strikes.add', jsonb_build_object('user_id', $2::text, 'reason', 'Hanna lied'), 'd', 'user', $2, 'chat',
       $3, 'r', now(), 'done', '{}', NULL)`,
    [guild.id, person, guild.moderatorId],
  );
  await pool.query(
    `INSERT INTO audit
       (guild_id, actor_source, actor_user_id, operation, target_type, target_id, outcome, address, digest, details)
     VALUES ($1, 'chat', $2, 'strikes.add', 'user', $3, 'performed', NULL, 'd', '{"reason": "Hanna lied"}'),
       ($1, 'dashboard', $3, 'settings.update', 'guild', $1, 'performed', '203.0.113.5', 'd', NULL)`,
    [guild.id, guild.moderatorId, person],
  );
  await pool.query(
    `INSERT INTO case_messages (guild_id, case_id, channel_id, message_id, author_id, text)
     VALUES ($1, 'str_2', '1', '2', $2, 'I live in Graz')`,
    [guild.id, person],
  );
  const line = (author: string, name: string, text: string) => ({
    id: snowflake(),
    author_id: author,
    author_name: name,
    author_is_bot: false,
    sent_at: '2026-01-01T00:00:00Z',
    text,
    attachments: ['face.png'],
    reply_to: null,
  });
  await pool.query(
    `INSERT INTO tickets (guild_id, number, subject, opened_by, transcript, status)
     VALUES ($1, 1, 'Hanna needs help', $2, '[]', 'closed'), ($1, 2, 'Noise', $3, $4, 'closed')`,
    [
      guild.id,
      person,
      guild.memberId,
      JSON.stringify([
        line(person, 'hanna', 'I live in Graz'),
        line(guild.memberId, 'mo', `<@${person}> said so`),
      ]),
    ],
  );
  // How these closings ended is not known. What they have read becomes the transcript.
  await pool.query(
    `WITH closing AS (
       INSERT INTO actions (guild_id, operation, input, digest, target_type, target_id, actor_source, actor_user_id,
         request_id, claim_by, state)
       SELECT guild_id, 'tickets.close', '{}', 'd', 'ticket', id, 'chat', $1, 'r', now(), 'unknown' FROM tickets
       RETURNING id, target_id)
     INSERT INTO action_pages (action_id, page, messages)
     SELECT closing.id, 0, CASE number WHEN 1 THEN $2::jsonb ELSE $3 END
     FROM closing JOIN tickets ON tickets.id = target_id`,
    [
      guild.memberId,
      JSON.stringify([line(guild.memberId, 'mo', 'Hanna lives in Graz')]),
      JSON.stringify([line(person, 'hanna', 'I live in Graz'), line(guild.memberId, 'mo', 'Solved')]),
    ],
  );
  await pool.query(
    `WITH noted AS (
       INSERT INTO ticket_notes (guild_id, ticket_id, text, written_by)
       SELECT guild_id, id, CASE number WHEN 1 THEN 'Hanna lives in Graz' ELSE 'Solved' END, $2
       FROM tickets WHERE guild_id = $1 RETURNING ticket_id, text)
     INSERT INTO actions (guild_id, operation, input, digest, target_type, target_id, actor_source, actor_user_id,
       request_id, claim_by, state, result)
     SELECT $1, 'tickets.note', jsonb_build_object('text', text), 'd', 'ticket', ticket_id, 'chat', $2, 'r', now(),
       'done', jsonb_build_object('note', text) FROM noted`,
    [guild.id, guild.moderatorId],
  );
  await pool.query(
    `INSERT INTO ticket_feedback (ticket_id, closed_at, guild_id, state, rating, text)
     SELECT id, now(), guild_id, 'told', 4, CASE number WHEN 1 THEN 'Greetings from Graz' ELSE 'Nice' END FROM tickets
     WHERE guild_id = $1`,
    [guild.id],
  );
  await pool.query('INSERT INTO notes (guild_id, user_id, text, written_by) VALUES ($1, $2, $3, $4)', [
    guild.id,
    person,
    'Hanna again',
    guild.moderatorId,
  ]);
  await pool.query(
    `INSERT INTO identities (guild_id, user_id, platform, in_game_id, key, set_by)
     VALUES ($1, $2, 'other', 'Hanna', 'hanna', $3)`,
    [guild.id, person, guild.moderatorId],
  );
  await pool.query(
    `INSERT INTO identity_links (guild_id, user_id, platform, in_game_id, code_hash, expires_at)
     VALUES ($1, $2, 'other', 'Hanna in Graz', 'x', now())`,
    [guild.id, person],
  );
  await pool.query(
    `INSERT INTO actions (guild_id, operation, input, digest, actor_source, actor_user_id, request_id, claim_by, state,
       result, address)
     VALUES ($1, 'identities.link', '{"in_game_id": "Hanna in Graz"}', 'd', 'chat', $2, 'r', now(), 'done',
       '{"link": "Hanna in Graz"}', '203.0.113.5')`,
    [guild.id, person],
  );
  await seedHandled(person);
}

/** What moderators did with the person's ticket, appeal and messages, with a report about them, and with one by them. */
async function seedHandled(person: string): Promise<void> {
  await query(
    `INSERT INTO appeals (id, guild_id, case_id, user_id, answers, language) VALUES ('apl_1', $1, 'str_1', $2, '[]', 'en')`,
    ...[guild.id, person],
  );
  await query(
    `INSERT INTO reports (id, guild_id, number, user_id, reported_by, reason)
     VALUES ('rpt_1', $1, 1, $2, $3, 'Graz'), ('rpt_2', $1, 2, $3, $2, 'Graz')`,
    ...[guild.id, person, guild.memberId],
  );
  const [ticket] = await query('SELECT id FROM tickets WHERE opened_by = $1', person);
  const handled = [
    ['tickets.claim', ticket?.id, {}, { ticket: { subject: 'Hanna needs help', answers: ['In Graz'] } }],
    [
      'tickets.close',
      ticket?.id,
      { reason: 'Hanna left Graz' },
      { ticket: { close_reason: 'Hanna left Graz' } },
    ],
    ['reports.claim', 'rpt_1', {}, { report: { reason: 'Lives in Graz', message: { text: 'From Graz' } } }],
    ['reports.close', 'rpt_2', { answer: 'Go to Graz' }, { report: { answer: 'Go to Graz' } }],
    ['appeals.vote', 'apl_1', { vote: 'for' }, { appeal: { answers: [{ answer: 'I was in Graz' }] } }],
    ['appeals.refuse', 'apl_1', { reply: 'Stay in Graz' }, { appeal: { reply: 'Stay in Graz' } }],
    ['messages.purge', '1', { user_id: person, contains: 'Graz', reason: 'Hanna lied' }, { purge: {} }],
  ] as const;
  for (const [operation, target, input, result] of handled)
    await query(
      `INSERT INTO actions (guild_id, operation, input, digest, target_id, actor_source, actor_user_id, request_id, claim_by,
         state, result)
       VALUES ($1, $2, $3, 'd', $4, 'chat', $5, 'r', now(), 'done', $6)`,
      ...[guild.id, operation, input, target, guild.moderatorId, result],
    );
  const { id: tokenId } = await seedToken(database.database, guild);
  for (const target of ['1', 'str_1', 'apl_1'])
    await query(
      `INSERT INTO approval_requests (token_id, guild_id, operation, target_id, input, digest, request_id, address, expires_at)
       VALUES ($1, $2, 'messages.purge', $3, $4, 'd', 'r', '', now())`,
      ...[tokenId, guild.id, target, { user_id: target === '1' ? person : undefined, reason: 'Hanna lied' }],
    );
}

test('what waits for approval about a case, an appeal or a report of a person goes with them', async () => {
  verifies('ops.forget');
  const person = snowflake();
  await seedRecord(person);
  const token = await seedToken(database.database, guild);
  await query(
    `INSERT INTO reports (id, guild_id, number, user_id, reported_by, reason)
     VALUES ('rpt_7', $1, 7, $2, $3, 'x'), ('rpt_8', $1, 8, $3, $2, 'x'), ('rpt_9', $1, 9, $3, $4, 'x')`,
    guild.id,
    person,
    guild.memberId,
    guild.moderatorId,
  );
  const targets = {
    str_1: 'strike',
    str_2: 'strike',
    apl_1: 'appeal',
    rpt_7: 'report',
    rpt_8: 'report',
    rpt_9: 'report',
  };
  await query(
    `INSERT INTO approval_requests
       (token_id, guild_id, operation, target_type, target_id, input, digest, request_id, address, expires_at)
     SELECT $1, $2, 'x', value, key, '{"answer": "We told them"}', key, 'r', '::1', now() FROM jsonb_each_text($3)`,
    token.id,
    guild.id,
    JSON.stringify(targets),
  );
  await forgetPerson(database.database, person, { rehearse: false });
  expect(await query('SELECT target_id FROM approval_requests ORDER BY 1')).toEqual([
    { target_id: 'rpt_9' },
    { target_id: 'str_2' },
  ]);
});

test('no digest of a call about somebody stays: it could be found again by trying all ids', async () => {
  verifies('ops.forget');
  const [person, other] = [snowflake(), snowflake()];
  const token = await seedToken(database.database, guild);
  await query(
    `INSERT INTO approval_requests
       (token_id, guild_id, operation, target_type, target_id, input, digest, request_id, address, expires_at)
     SELECT $1, $2, 'bans.lift', 'user', id, '{}', 'lifted of ' || whom, 'r', '::1', now()
     FROM unnest($3::text[], $4::text[]) AS t (id, whom)`,
    token.id,
    guild.id,
    [person, other],
    ['them', 'another'],
  );
  await query(
    `INSERT INTO windows (token_id, guild_id, opened_by, expires_at, digest)
     SELECT $1, $2, $3, now(), digest FROM approval_requests`,
    token.id,
    guild.id,
    guild.ownerId,
  );
  await query(
    `INSERT INTO actions (guild_id, operation, input, digest, target_type, target_id, actor_source, actor_user_id,
       request_id, claim_by, state)
     SELECT $1, 'messages.purge', jsonb_build_object('user_id', id), 'purged of ' || whom, 'channel', '1', 'chat', $2,
       'r', now(), 'done' FROM unnest($3::text[], $4::text[]) AS t (id, whom)`,
    guild.id,
    guild.ownerId,
    [person, other],
    ['them', 'another'],
  );
  await query(
    `INSERT INTO audit (guild_id, actor_source, actor_user_id, operation, target_type, target_id, outcome, details)
     SELECT $1, 'dashboard', $2, 'approvals.decide', 'token', $3, 'performed', jsonb_build_object('digest', digest)
     FROM approval_requests`,
    guild.id,
    guild.ownerId,
    token.id,
  );
  await query(
    `INSERT INTO audit (guild_id, actor_source, actor_user_id, operation, target_type, target_id, outcome, digest)
     SELECT $1, 'chat', $2, 'messages.purge', 'channel', '1', 'performed', digest FROM actions`,
    guild.id,
    guild.ownerId,
  );
  const { pool } = database.database;
  const left = async (whom: string) => [
    ...(await found(pool, `lifted of ${whom}`)),
    ...(await found(pool, `purged of ${whom}`)),
  ];
  const [own, others] = [await left('them'), await left('another')];
  expect(own).toEqual(others);
  await forgetPerson(database.database, person, { rehearse: false });
  expect([await left('them'), await left('another')]).toEqual([[], others]);
  expect(await query('SELECT FROM windows WHERE digest IS NULL')).toEqual([]);
});

test('the records of the guild stay, about nobody: one new id everywhere, without names and texts', async () => {
  verifies('ops.forget');
  const person = snowflake();
  await seedRecord(person);
  const { pool } = database.database;
  expect(forget('user', person)).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('Nothing was changed'),
  });
  expect(await found(pool, 'Hanna')).not.toEqual([]);
  expect(forget('user', person, '--yes')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('recorded'),
  });
  for (const trace of [person, 'Hanna', 'hanna', 'Graz', 'steam-76561', '203.0.113.5', 'face.png']) {
    // The other's lines keep their attachment.
    const places = await found(pool, trace);
    expect(places.toSorted(), trace).toEqual(
      trace === 'face.png' ? ['action_pages.messages', 'tickets.transcript'] : [],
    );
  }
  const cases = await query('SELECT user_id, issued_by, reason FROM cases ORDER BY id');
  const pseudonym = cases[0]?.user_id;
  expect(pseudonym).toMatch(/^1\d{16}$/);
  expect(cases).toEqual([
    { user_id: pseudonym, issued_by: guild.memberId, reason: '' },
    { user_id: guild.memberId, issued_by: pseudonym, reason: 'spam' },
  ]);
  const [ticket] = await query('SELECT transcript FROM tickets WHERE number = 2');
  expect(ticket?.transcript).toMatchObject([
    { author_id: pseudonym, author_name: '', text: '', attachments: [] },
    { author_id: guild.memberId, author_name: 'mo', text: `<@${pseudonym}> said so` },
  ]);
  expect(await query('SELECT FROM notes')).toEqual([]);
  expect(await query('SELECT text FROM ticket_notes')).toEqual([{ text: 'Solved' }]);
  expect(await query('SELECT text FROM ticket_feedback')).toEqual([{ text: 'Nice' }]);
  const [row] = await listAuditLog(database.database, guild.id, { reads: false, limit: 1 });
  expect(row).toMatchObject({ operation: 'people.forget', actorSource: 'operator', targetId: pseudonym });
  // Who has the id can find that it was done; the record does not say it.
  expect(
    await query("SELECT kind FROM forgettings WHERE mark = signature_of('forgotten person ' || $1)", person),
  ).toEqual([{ kind: 'person' }]);
  expect(forget('user', person, '--yes').stdout).toBe('There is nothing of them here.\n');
});

test('the conversation that the bot opens with somebody just while they are forgotten is not remembered', async () => {
  verifies('ops.forget');
  const [person, other] = [snowflake(), snowflake()];
  await seedRecord(person);
  const bot = openDatabase(database.processUrls.bot, { ...LONG_LIMITS, applicationName: 'bot' });
  const untilWaiting = (count: number) =>
    expect
      .poll(
        () =>
          query(
            `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
             HAVING count(*) = $1 OR EXISTS (SELECT FROM direct_channels)`,
            count,
          ),
        { timeout: 120_000 },
      )
      .toHaveLength(1);
  const holder = await database.database.pool.connect();
  try {
    // The forgetting waits here. It has deleted what is known of their conversations.
    await holder.query('BEGIN; LOCK TABLE budgets IN SHARE MODE');
    const forgetting = forgetPerson(database.database, person, { rehearse: false });
    await untilWaiting(1);
    const keeping = keepDirectChannel(bot, person, '7');
    await untilWaiting(2);
    await holder.query('COMMIT');
    await Promise.all([forgetting, keeping]);
    // This one was opened before.
    for (const userId of [person, other]) await keepDirectChannel(bot, userId, '8');
  } finally {
    holder.release();
    await bot.close();
  }
  expect(await query('SELECT user_id, channel_id FROM direct_channels')).toEqual([
    { user_id: other, channel_id: '8' },
  ]);
});

test.each([
  ['with the person in its Idempotency-Key', (person: string) => `no-show-2026-01-${person}`],
  ['with any other', () => 'no-show-2026-01'],
])(
  'a call about the person, repeated %s, is neither done again nor told to be running',
  async (_what, keyOf) => {
    verifies('ops.forget');
    const db = database.database;
    const token = await seedToken(db, guild);
    await seedWindow(db, guild, token);
    const engine = engineOn(db);
    const key = keyOf(guild.memberId);
    const repeat = async () => (await guard(engine, guild, token.secret, strike(guild, key))).submit();
    expect(await repeat()).toMatchObject({ status: 201 });
    await forgetPerson(db, guild.memberId, { rehearse: false });
    expect(await found(db.pool, guild.memberId)).toEqual([]);
    const [{ id }] = await query('SELECT id FROM actions');
    for (const _time of [1, 2]) {
      const refused = await refusalOf(repeat());
      expect(refused).toMatchObject({
        status: 403,
        code: 'FORBIDDEN',
        details: { reason: 'CASE_FORGOTTEN' },
      });
      expect(refused.message).toContain(`GET /actions/${id}`);
    }
    expect(await query('SELECT FROM cases')).toHaveLength(1);
    expect(await query('SELECT FROM actions')).toHaveLength(1);
    const other = {
      ...strike(guild, key),
      body: { user_id: guild.strangerId, reason: 'spam', severity: 'minor' },
    };
    const another = await guard(engine, guild, token.secret, other);
    expect(await refusalOf(another.submit())).toMatchObject({ code: 'VALIDATION_FAILED' });
  },
);

test('a file that was attached to an action about the person, which opened no case, is gone too', async () => {
  verifies('ops.forget');
  const [person, other] = [snowflake(), snowflake()];
  for (const targetId of [person, other]) {
    await query(
      `WITH action AS (
         INSERT INTO actions (guild_id, operation, input, digest, state, actor_source, actor_user_id, request_id, claim_by,
           target_type, target_id)
         VALUES ($1, 'bans.add', '{}', '', 'failed', 'chat', $2, 'req_ban', now(), 'user', $3) RETURNING id)
       INSERT INTO evidence (guild_id, action_id, name, size_bytes) SELECT $1, id, 'of ' || $3, 1 FROM action`,
      guild.id,
      guild.ownerId,
      targetId,
    );
  }
  await forgetPerson(database.database, person, { rehearse: false });
  expect(await query('SELECT name FROM evidence')).toEqual([{ name: `of ${other}` }]);
});

test('no step of forgetting a guild looks through all its actions for each row, however many they are', async () => {
  verifies('ops.forget');
  await query(
    `INSERT INTO actions (guild_id, operation, input, digest, actor_source, actor_user_id, request_id, claim_by, state)
     SELECT $1, 'strikes.add', '{}', 'd', 'chat', $2, 'r', now(), 'done' FROM generate_series(1, 3000)`,
    guild.id,
    guild.moderatorId,
  );
  await query('ANALYZE actions');
  const [{ prosrc }] = await query("SELECT prosrc FROM pg_proc WHERE proname = 'forget_guild'");
  const [{ places }] = await query(
    `SELECT ${/places text\[\] := (ARRAY\[.*?'\]);/s.exec(prosrc)?.[1]} AS places`,
  );
  const client = await database.database.pool.connect();
  // To a guild with 150,000 actions this is what PostgreSQL's default is.
  await client.query("SET work_mem = '64kB'; SET hash_mem_multiplier = 1");
  const slow: string[] = [];
  for (let n = 0; n < places.length; n += 2) {
    const condition = places[n + 1].replaceAll('$1', `'${guild.id}'`);
    const { rows } = await client.query(
      `EXPLAIN SELECT ctid FROM ${places[n]} WHERE ${condition} LIMIT 1000`,
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    if (plan.replaceAll('hashed SubPlan', '').includes('SubPlan')) slow.push(`${places[n]}:\n${plan}`);
  }
  client.release(true);
  expect(places.length).toBeGreaterThan(100);
  expect(slow).toEqual([]);
});

test('a token of the person ends, and so do their sessions', async () => {
  verifies('ops.forget');
  const token = await seedToken(database.database, guild, {
    issuerId: guild.moderatorId,
    ipAllowlist: ['203.0.113.5'],
  });
  await forgetPerson(database.database, guild.moderatorId, { rehearse: false });
  expect(await query('SELECT revoked_reason, ip_allowlist FROM tokens WHERE id = $1', token.id)).toEqual([
    { revoked_reason: 'operator', ip_allowlist: [] },
  ]);
});

test('an owner, and whoever has a temporary ban, cannot be forgotten before that ends', async () => {
  verifies('ops.forget');
  const before = await query('SELECT count(*) FROM audit');
  expect(forget('user', guild.ownerId, '--yes')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('owns a guild'),
  });
  await query(
    `INSERT INTO cases (id, guild_id, case_number, kind, user_id, issued_by, expires_at)
     VALUES ('ban_1', $1, 1, 'ban', $2, $3, now() + interval '1 day')`,
    guild.id,
    guild.memberId,
    guild.ownerId,
  );
  expect(forget('user', guild.memberId, '--yes')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('nobody would end'),
  });
  expect(await query('SELECT count(*) FROM audit')).toEqual(before);
  for (const words of [
    [],
    ['user'],
    ['user', 'hanna'],
    ['user', guild.memberId, 'yes'],
    ['role', guild.memberId],
  ]) {
    expect(forget(...words), words.join(' ')).toMatchObject({ status: 64, stdout: '' });
  }
});

test('a ban for a time is not forgotten that comes while the forgetting waits for another one', async () => {
  verifies('ops.forget');
  const other = await database.database.pool.connect();
  try {
    await other.query('BEGIN');
    await other.query("SELECT pg_advisory_xact_lock(hashtextextended('forgetting', 0))");
    const forgetting = forgetPerson(database.database, guild.memberId, { rehearse: false });
    forgetting.catch(() => {});
    const waits = "SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
    await expect.poll(() => query(waits), { timeout: 120_000 }).toHaveLength(1);
    await query(
      `INSERT INTO cases (id, guild_id, case_number, kind, user_id, issued_by, expires_at)
       VALUES ('ban_1', $1, 1, 'ban', $2, $3, now() + interval '1 day')`,
      ...[guild.id, guild.memberId, guild.ownerId],
    );
    await other.query('COMMIT');
    await expect(forgetting).rejects.toThrow('nobody would end');
  } finally {
    other.release(true);
  }
});

/** A ban, whose time is over since yesterday, and a mute. */
async function giveSanctions(userId: string, guildId: string, importId: string | null): Promise<void> {
  await query(
    `INSERT INTO cases (id, guild_id, case_number, kind, user_id, issued_by, expires_at, import_id)
     VALUES ('ban_1', $1, 1, 'ban', $2, $3, now() - interval '1 day', $4),
       ('mut_1', $1, 2, 'mute', $2, $3, now() + interval '1 day', $4)`,
    ...[guildId, userId, guild.ownerId, importId],
  );
}

test('an imported ban or mute, which is only a record, keeps nobody from being forgotten', async () => {
  verifies('ops.forget');
  await giveSanctions(guild.memberId, guild.id, 'imp_1');
  await forgetPerson(database.database, guild.memberId, { rehearse: true });
  // Since a moderator has set its end here, Bailiff ends it.
  await query(
    `INSERT INTO case_changes (guild_id, case_id, action_id, changed_by, before, after)
     VALUES ($1, 'mut_1', 'act_1', $2, '{"expires_at": null}', '{"expires_at": null}')`,
    ...[guild.id, guild.ownerId],
  );
  const forgotten = () => forgetPerson(database.database, guild.memberId, { rehearse: false });
  await expect(forgotten()).rejects.toThrow('nobody would end');
  await query("UPDATE cases SET ended_at = now() WHERE id = 'mut_1'");
  expect(await forgotten()).toMatchObject({ cases: 4 });
});

test('what nobody ends in a guild that the bot has left keeps nobody from being forgotten', async () => {
  verifies('ops.forget');
  const forgotten = () => forgetPerson(database.database, guild.memberId, { rehearse: false });
  await giveSanctions(guild.memberId, guild.id, null);
  await expect(forgotten()).rejects.toThrow('nobody would end');
  await query('UPDATE guilds SET left_at = now()');
  await query(
    `INSERT INTO measures (guild_id, kind, subject_id, action_id, before, after)
     VALUES ($1, 'role', $2 || ':1', 'act_1', '{}', '{}')`,
    ...[guild.id, guild.memberId],
  );
  await forgotten();
  expect(await query('SELECT FROM cases WHERE user_id = $1', guild.memberId)).toEqual([]);
});

test('whoever has a role for a while, or is being acted on, cannot be forgotten before that is over', async () => {
  verifies('ops.forget');
  const { memberId, ownerId } = guild;
  const forgotten = () => forgetPerson(database.database, memberId, { rehearse: false });
  await query(
    `INSERT INTO measures (guild_id, kind, subject_id, action_id, before, after)
     VALUES ($1, 'role', $2 || ':1', 'act_1', '{}', '{}')`,
    guild.id,
    memberId,
  );
  await expect(forgotten()).rejects.toThrow('nobody would take back');
  await query('DELETE FROM measures');
  await query(
    `INSERT INTO actions (guild_id, operation, input, digest, actor_source, actor_user_id, request_id, claim_by, target_id)
     VALUES ($1, 'bans.add', '{}', '', 'chat', $2, 'req_ban', now(), $3)`,
    guild.id,
    ownerId,
    memberId,
  );
  await expect(forgotten()).rejects.toThrow('is being done');
  // One about a channel, of whose messages only those of the person go.
  await query(
    "UPDATE actions SET operation = 'messages.purge', state = 'running', target_id = '1', input = $1",
    {
      channel_id: '1',
      count: 1_000,
      user_id: memberId,
    },
  );
  await expect(forgotten()).rejects.toThrow('is being done');
  // One that writes into their ticket what a moderator says about it.
  await query(
    "INSERT INTO tickets (id, guild_id, number, subject, opened_by) VALUES ('tkt_1', $1, 1, 'Help', $2)",
    ...[guild.id, memberId],
  );
  await query("UPDATE actions SET operation = 'tickets.close', target_id = 'tkt_1', input = $1", {
    ticket_id: 'tkt_1',
    reason: 'Moved to Graz',
  });
  await expect(forgotten()).rejects.toThrow('is being done');
  expect(await query('SELECT FROM members WHERE user_id = $1', memberId)).toHaveLength(1);
  // Nobody knows yet how it ended: whoever finds out has to know which ticket it was.
  await query("UPDATE actions SET state = 'unknown'");
  await forgotten();
  expect(await query('SELECT input FROM actions')).toEqual([{ input: { ticket_id: 'tkt_1' } }]);
});

test('90 days after the bot left a guild no table has a row of it, and none of its people without other records', async () => {
  verifies('ops.deleted-guild');
  const { pool } = database.database;
  const [left, person] = [snowflake(), snowflake()];
  await fillEveryTable(pool, left, person);
  await query('DELETE FROM forgettings');
  const bot = openDatabase(database.processUrls.bot, { ...LONG_LIMITS, applicationName: 'bot' });
  try {
    await query("UPDATE guilds SET left_at = now() - interval '89 days' WHERE id = $1", left);
    expect(await forgetDeletedGuilds(bot)).toEqual([]);
    await expect(forgetGuild(bot, left)).rejects.toThrow('90 days after it left');
    const other = await found(pool, guild.id);
    await query("UPDATE guilds SET left_at = now() - interval '90 days 1 minute' WHERE id = $1", left);
    expect(await forgetDeletedGuilds(bot)).toEqual([left]);
    expect(await found(pool, left)).toEqual([]);
    expect(await query('SELECT FROM known_names')).toEqual([]);
    expect(await found(pool, guild.id)).toEqual(other);
    await expect(forgetGuild(bot, guild.id)).rejects.toThrow('still in the guild');
  } finally {
    await bot.close();
  }
});

test('a guild of which a run leaves something is forgotten, and said to be, by a later run', async () => {
  verifies('ops.deleted-guild');
  const { id } = await seedGuild(database.database);
  await query(
    'INSERT INTO notes (guild_id, user_id, text, written_by) SELECT $1, $2, n, $2 FROM generate_series(1, 1500) AS n',
    ...[id, snowflake()],
  );
  await query("UPDATE guilds SET left_at = now() - interval '91 days' WHERE id = $1", id);
  expect(await forgetDeletedGuilds(database.database, 1)).toEqual([]);
  expect(await query('SELECT FROM guilds WHERE id = $1', id)).toHaveLength(1);
  expect(await forgetDeletedGuilds(database.database, 1)).toEqual([id]);
  expect(await query('SELECT FROM guilds WHERE id = $1', id)).toEqual([]);
});

test('guilds wait for a later run while somebody is being forgotten', async () => {
  verifies('ops.deleted-guild');
  const { id } = await seedGuild(database.database);
  await query("UPDATE guilds SET left_at = now() - interval '91 days' WHERE id = $1", id);
  const other = await database.database.pool.connect();
  try {
    await other.query('BEGIN');
    await other.query("SELECT pg_advisory_xact_lock(hashtextextended('forgetting', 0))");
    expect(await forgetDeletedGuilds(database.database)).toEqual([]);
    await other.query('COMMIT');
    expect(await forgetDeletedGuilds(database.database)).toEqual([id]);
  } finally {
    other.release(true);
  }
});

test('a guild that cannot be forgotten keeps none of the others', async () => {
  verifies('ops.deleted-guild');
  const [stuck, next] = [await seedGuild(database.database), await seedGuild(database.database)];
  await query(
    `UPDATE guilds SET left_at = now() - interval '91 days' - CASE WHEN id = $1 THEN interval '1 day' ELSE '0' END
     WHERE id IN ($1, $2)`,
    stuck.id,
    next.id,
  );
  await query(`CREATE FUNCTION stuck() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF OLD.guild_id = '${stuck.id}' THEN RAISE EXCEPTION 'the disk is slow'; END IF; RETURN OLD; END $$`);
  await query('CREATE TRIGGER stuck BEFORE DELETE ON roles FOR EACH ROW EXECUTE FUNCTION stuck()');
  await expect(forgetDeletedGuilds(database.database)).rejects.toThrow(
    '1 of 2 steps failed: the disk is slow',
  );
  expect(await query('SELECT id FROM guilds WHERE left_at IS NOT NULL')).toEqual([{ id: stuck.id }]);
});

test('a name stays known for another guild, and nothing in it says that this one had a record', async () => {
  verifies('ops.deleted-guild');
  const person = snowflake();
  const left = (await seedGuild(database.database)).id;
  // Their note in the guild was removed, so that no record leads there from the name.
  await query("INSERT INTO known_names VALUES ($1, 'hanna', 'Hanna Berg')", person);
  await query('UPDATE known_names SET guild_ids = $1', [left, guild.id]);
  await query(
    "INSERT INTO notes (guild_id, user_id, text, written_by) VALUES ($1, $2, 'Late', $2)",
    guild.id,
    person,
  );
  await query('UPDATE guilds SET left_at = now() WHERE id = $1', left);
  await forgetGuild(database.database, left);
  expect(await found(database.database.pool, left)).toEqual([]);
  expect(await query('SELECT username, guild_ids FROM known_names')).toEqual([
    { username: 'hanna', guild_ids: [guild.id] },
  ]);
});

test.each([
  [
    'a case',
    "INSERT INTO cases (id, guild_id, case_number, kind, user_id, issued_by) VALUES ('str_1', $1, 1, 'strike', $2, $3)",
  ],
  ['a note', "INSERT INTO notes (guild_id, user_id, text, written_by) VALUES ($1, $2, 'x', $3)"],
  [
    'an identity',
    `INSERT INTO identities (guild_id, user_id, platform, in_game_id, key, set_by)
     VALUES ($1, $2, 'minecraft', 'Notch', 'notch', $3)`,
  ],
  [
    'a ticket',
    `INSERT INTO tickets (guild_id, number, subject, opened_by, closed_by) VALUES ($1, 1, 'x', $2, $3)`,
  ],
  [
    'a report about them',
    "INSERT INTO reports (guild_id, number, user_id, reported_by, reason) VALUES ($1, 1, $2, $3, 'x')",
  ],
  [
    'a report by them',
    "INSERT INTO reports (guild_id, number, reported_by, user_id, reason) VALUES ($1, 1, $2, $3, 'x')",
  ],
])('the name of somebody with %s in another guild stays when a guild is forgotten', async (_what, record) => {
  verifies('ops.deleted-guild');
  const person = snowflake();
  const left = await seedGuild(database.database);
  await query(
    "INSERT INTO notes (guild_id, user_id, text, written_by) VALUES ($1, $2, 'x', $3)",
    left.id,
    person,
    left.ownerId,
  );
  await query(record, guild.id, person, guild.ownerId);
  await query(
    "INSERT INTO known_names (user_id, username, display_name, guild_ids) VALUES ($1, 'hanna', 'Hanna Berg', $2)",
    person,
    [left.id, guild.id],
  );
  await query('UPDATE guilds SET left_at = now() WHERE id = $1', left.id);
  await forgetGuild(database.database, left.id);
  expect(await query('SELECT display_name, guild_ids FROM known_names WHERE user_id = $1', person)).toEqual([
    { display_name: 'Hanna Berg', guild_ids: [guild.id] },
  ]);
});

test('the names of people of other guilds are found in a forgotten guild no more, however many there are', async () => {
  verifies('ops.deleted-guild');
  const left = await seedGuild(database.database);
  // More than two steps come to.
  await query(
    `INSERT INTO known_names (user_id, username, display_name, guild_ids)
     SELECT (800000000000000000 + n)::text, 'x', 'x', $1 FROM generate_series(1, 2500) AS n`,
    [left.id, guild.id],
  );
  await query('UPDATE guilds SET left_at = now() WHERE id = $1', left.id);
  await forgetGuild(database.database, left.id);
  expect(
    await query(
      'SELECT guild_ids, count(*)::int AS names FROM known_names WHERE $1 = ANY (guild_ids) GROUP BY 1',
      guild.id,
    ),
  ).toEqual([{ guild_ids: [guild.id], names: 2_500 }]);
});

test('the operator can forget a guild at once, in steps that can be repeated', async () => {
  verifies('ops.forget');
  await query(
    `INSERT INTO audit (guild_id, actor_source, operation, outcome)
     SELECT $1, 'chat', 'strikes.add', 'performed' FROM generate_series(1, 2500)`,
    guild.id,
  );
  expect(forget('guild', guild.id, '--yes')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('still in the guild'),
  });
  await query('UPDATE guilds SET left_at = now() WHERE id = $1', guild.id);
  const counted = forget('guild', guild.id);
  expect(counted.stdout).toMatch(/2500 {2}audit_writes/);
  expect(await forgetGuild(database.database, guild.id, 2)).toMatchObject({ audit_writes: 2000 });
  expect(forget('guild', guild.id, '--yes').stdout).toMatch(/ 500 {2}audit_writes/);
  expect(await found(database.database.pool, guild.id)).toEqual([]);
  expect(
    await query("SELECT FROM forgettings WHERE mark = signature_of('forgotten guild ' || $1)", guild.id),
  ).toHaveLength(1);
});

/** Makes the database refuse a change of a table, as it does when its disk is full. */
const refuse = (event: 'INSERT ON forgettings' | 'DELETE ON roles') =>
  query(`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      RAISE 'the disk is full' USING ERRCODE = '53100'; END $$;
    CREATE TRIGGER full_disk BEFORE ${event} FOR EACH ROW EXECUTE FUNCTION full_disk()`);
const accept = () => query('DROP FUNCTION full_disk CASCADE');

test('an operator whose command breaks off within a guild learns that a part is gone, and what to do', async () => {
  verifies('ops.forget');
  const notes = `INSERT INTO notes (guild_id, user_id, text, written_by)
    SELECT $1, $2, n, $2 FROM generate_series(1, $3::int) AS n`;
  await query(notes, guild.id, snowflake(), 1500);
  await query('UPDATE guilds SET left_at = now() WHERE id = $1', guild.id);
  await refuse('DELETE ON roles');
  const counted = () => query('SELECT FROM notes').then(({ length }) => length);
  expect(forget('guild', guild.id, '--yes')).toEqual({
    status: 1,
    stdout: '',
    stderr: 'Not everything was forgotten; run it again: the disk is full\n',
  });
  expect(await counted()).toBe(500);
  // Here nothing is gone before.
  expect(forget('guild', guild.id, '--yes').stderr).toBe('Nothing was forgotten: the disk is full\n');
  expect(await counted()).toBe(500);
  await accept();
  expect(forget('guild', guild.id, '--yes').stdout).toMatch(/ 500 {2}notes\n.*Done, and recorded\.\n$/s);
  expect(await found(database.database.pool, guild.id)).toEqual([]);
});

test('a guild that an operator has forgotten is on record, also when the command breaks off at the end', async () => {
  verifies('ops.forget');
  await query('UPDATE guilds SET left_at = now() WHERE id = $1', guild.id);
  await refuse('INSERT ON forgettings');
  expect(forget('guild', guild.id, '--yes')).toMatchObject({ status: 1, stdout: '' });
  await accept();
  expect(forget('guild', guild.id, '--yes').stdout).toMatch(/ 1 {2}guilds\n.*Done, and recorded\.\n$/s);
  expect(
    await query("SELECT FROM forgettings WHERE mark = signature_of('forgotten guild ' || $1)", guild.id),
  ).toHaveLength(1);
  expect(forget('guild', guild.id, '--yes').stdout).toBe('There is nothing of them here.\n');
});
