import { FILE_SOURCES, type SourceRow } from '@bailiff/core/imports';
import { verifies } from '@bailiff/core/testing';
import { type Database, openDatabase } from '@bailiff/prisma';
import { createTestDatabase, LONG_LIMITS, type TestDatabase } from '@bailiff/prisma/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { DashboardCall } from '#src/calls/dashboard-call.ts';
import { addPreset } from '#src/cases/presets.ts';
import { archiveOf } from '#src/imports/archive.ts';
import {
  beginImport,
  checkRows,
  finishImport,
  importRows,
  type RowFate,
  undoImport,
} from '#src/imports/imports.ts';
import { type SeededGuild, seedGuild, signedIn, snowflake } from '#src/testing.ts';
import { updateTicketSettings } from '#src/tickets/ticket-settings.ts';

let database: TestDatabase;
let web: Database;
/** Another Bailiff: it has nothing of the first one's. */
let elsewhere: TestDatabase;
let otherWeb: Database;
let guild: SeededGuild;

beforeAll(async () => {
  [database, elsewhere] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  web = openDatabase(database.processUrls.web, { ...LONG_LIMITS, applicationName: 'web' });
  otherWeb = openDatabase(elsewhere.processUrls.web, { ...LONG_LIMITS, applicationName: 'web' });
});
afterAll(async () => {
  await Promise.all([web.close(), otherWeb.close()]);
  await Promise.all([database.drop(), elsewhere.drop()]);
});
beforeEach(async () => {
  guild = await seedGuild(database.database);
});

const AT = new Date('2026-11-23T12:00:00Z');

/** The lines of an archive, as they stand in the file. */
async function linesOf(db: Database, guildId: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const step of archiveOf(db, guildId, AT, (run) => run())) {
    lines.push(...step.map((line) => JSON.stringify(line)));
  }
  return lines;
}

async function rowsOf(lines: readonly string[]): Promise<SourceRow[]> {
  async function* chunks() {
    for (const line of lines) yield `${line}\n`;
  }
  const rows: SourceRow[] = [];
  for await (const line of FILE_SOURCES.bailiff(chunks())) if ('row' in line) rows.push(line.row);
  return rows;
}

/** Imports an archive as the dashboard does. Returns the import's id and the fates of the rows. */
async function importInto(
  db: Database,
  call: DashboardCall,
  guildId: string,
  lines: readonly string[],
): Promise<{ id: string; fates: RowFate[] }> {
  const rows = await rowsOf(lines);
  const file = { source: 'bailiff', fileName: 'archive.jsonl', fileSize: lines.join().length } as const;
  const { id } = await beginImport(db, call, guildId, file);
  const fates: RowFate[] = [];
  for (let at = 0; at < rows.length; at += 7) {
    const step = rows.slice(at, at + 7);
    const dry = await checkRows(db, call, guildId, 'bailiff', step);
    const done = await importRows(db, call, guildId, id, step);
    // A dry run does not see tickets that come with an earlier step.
    const foreseen = done.map((row) => ('problem' in row && row.problem === 'no_ticket' ? 'new' : row.fate));
    expect(dry.map(({ fate }) => fate)).toEqual(foreseen);
    fates.push(...done);
  }
  await finishImport(db, call, guildId, id);
  return { id, fates };
}

/** Gives a guild one of everything that an archive holds. */
async function fill({ id: guildId, ownerId, moderatorId }: SeededGuild): Promise<void> {
  const { pool } = database.database;
  const [person, other] = [snowflake(), snowflake()];
  const owner = await signedIn(database.database, ownerId);
  await addPreset(web, owner, guildId, {
    kind: 'ban',
    name: 'Raid',
    reason: 'Raiding',
    severity: null,
    durationMinutes: 60,
  });
  await updateTicketSettings(web, owner, guildId, {
    categories: [],
    most_open_of_person: 2,
    most_open_of_guild: 20,
    cooldown_minutes: 5,
    sends_transcript: true,
    asks_feedback: true,
  });
  await pool.query(
    `INSERT INTO cases (id, guild_id, case_number, kind, user_id, reason, issued_by, issued_at, duration_minutes,
       expires_at, ended_by, ended_at, end_reason, severity, category, player_name, in_game_id)
     VALUES
       ('str_01900000000170000000000000000001', $1, 2, 'strike', $2, 'Spam "quoted" 🦊', $4, '2024-01-02T03:04:05.678Z',
         NULL, NULL, $5, '2024-02-02', NULL, 'major', 'chat', 'Steve', 'uuid-1'),
       ('ban_01900000000170000000000000000002', $1, 3, 'ban', $2, NULL, $4, '2024-03-02', NULL, NULL, NULL, '2024-03-03',
         'Lifted outside', NULL, NULL, NULL, NULL),
       ('mut_01900000000170000000000000000003', $1, 7, 'mute', $3, '', $4, '2024-04-02', 60, '2024-04-02T01:00Z', NULL, NULL,
         NULL, NULL, NULL, NULL, NULL),
       ('ban_01900000000170000000000000000004', $1, 8, 'ban', $3, 'Still banned', $4, '2026-04-02', 5000000,
         '2026-04-02'::timestamptz + interval '5000000 minutes', NULL, NULL, NULL, NULL, NULL, NULL, NULL),
       ('sft_01900000000170000000000000000005', $1, 9, 'softban', $3, 'Clean', $4, '2024-05-02', NULL, NULL, $4,
         '2024-05-02', NULL, NULL, NULL, NULL, NULL),
       ('wrn_01900000000170000000000000000006', $1, 10, 'warning', $3, 'Be nice', $4, '2024-06-02', NULL, NULL, NULL,
         NULL, NULL, NULL, NULL, NULL, NULL)`,
    [guildId, person, other, moderatorId, ownerId],
  );
  await pool.query(
    `INSERT INTO case_changes (guild_id, case_id, action_id, changed_by, changed_at, why, before, after) VALUES
     ($1, 'ban_01900000000170000000000000000004', 'act_1', $2, '2026-05-01T00:00:00.001Z', 'Longer',
       '{"duration_minutes": 60, "expires_at": "2026-04-02T01:00:00+00:00"}',
       '{"duration_minutes": 5000000, "expires_at": "2035-10-03T05:20:00+00:00"}'),
     ($1, 'ban_01900000000170000000000000000004', 'act_2', $2, '2026-05-02', NULL, '{"reason": null}', '{"reason": "Still banned"}')`,
    [guildId, moderatorId],
  );
  await pool.query(
    `INSERT INTO case_links (guild_id, case_id, other_id, linked_by, linked_at) VALUES
     ($1, 'ban_01900000000170000000000000000004', 'mut_01900000000170000000000000000003', $2, '2026-05-03')`,
    [guildId, moderatorId],
  );
  await pool.query(
    "SELECT keep_evidence('ban_01900000000170000000000000000004', 'proof.txt', 3, 'abc', NULL)",
  );
  await pool.query(
    "SELECT keep_evidence('ban_01900000000170000000000000000004', 'film.mp4', 9000000, NULL, 'too_large')",
  );
  await pool.query(
    `INSERT INTO case_messages (guild_id, case_id, channel_id, message_id, author_id, text, attached_at) VALUES
     ($1, 'ban_01900000000170000000000000000004', '500000000000000001', '900000000000000001', $2, 'Buy "sheep" 🐑', '2026-04-02T00:00:00.001Z'),
     ($1, 'ban_01900000000170000000000000000004', '500000000000000001', '900000000000000002', $2, NULL, '2026-04-03')`,
    [guildId, other],
  );
  await pool.query(
    `INSERT INTO identities (guild_id, user_id, platform, in_game_id, key, set_by, set_at) VALUES
     ($1, $2, 'minecraft', 'BlockBreaker', 'blockbreaker', $4, '2026-03-01T10:00:00.123Z'),
     ($1, $3, 'other', 'Ann: "the fox" 🦊', 'ann: "the fox" 🦊', $4, '2026-03-02')`,
    [guildId, person, other, moderatorId],
  );
  await pool.query('INSERT INTO notes (guild_id, user_id, text, written_by) VALUES ($1, $2, $3, $4)', [
    guildId,
    person,
    'Line one\nLine two',
    moderatorId,
  ]);
  const message = (n: number, more: object = {}) => ({
    id: String(900000000000000000n + BigInt(n)),
    author_id: person,
    author_name: 'fox',
    author_is_bot: false,
    sent_at: '2026-01-01T00:00:00.123000+00:00',
    text: `Help ${n} ${'x'.repeat(300)}`,
    attachments: [],
    reply_to: null,
    ...more,
  });
  const transcript = [
    ...Array.from({ length: 700 }, (_, n) => message(n)),
    message(701, { text: '', attachments: ['a.png'] }),
  ];
  await pool.query(
    `INSERT INTO tickets (guild_id, number, subject, status, opened_by, opened_at, claimed_by, claimed_at, closed_by,
       closed_at, close_reason, transcript, is_cut, category, answers) VALUES
     ($1, 4, 'House griefed', 'closed', $2, '2026-01-01', $3, '2026-01-02', $3, '2026-01-03', 'Solved', $4, true, 'Grief',
       '[{"question": "Where?", "answer": "North"}]'),
     ($1, 6, 'Other', 'closed', $2, '2026-01-01', NULL, NULL, $3, '2026-01-03', NULL, NULL, false, NULL, '[]'),
     ($1, 7, 'Open', 'open', $2, '2026-01-01', NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, '[]')`,
    [guildId, person, moderatorId, JSON.stringify(transcript)],
  );
  await pool.query(
    `INSERT INTO ticket_notes (guild_id, ticket_id, text, written_by, written_at)
     SELECT guild_id, id, text, $2, at::timestamptz FROM tickets,
       (VALUES ('Ask the guards', '2026-01-02T10:00:00.123Z'), ('They saw "fox"', '2026-01-02T11:00:00Z')) AS n (text, at)
     WHERE guild_id = $1 AND number = 4`,
    [guildId, moderatorId],
  );
  await pool.query(
    `INSERT INTO ticket_feedback (guild_id, ticket_id, closed_at, state, rating, text, rated_at)
     SELECT guild_id, id, closed::timestamptz, state::"TargetNoticeState", rating, said, rated::timestamptz FROM tickets,
       (VALUES ('2026-01-02T20:00:00.123Z', 'sending', NULL, NULL, NULL),
         ('2026-01-02T22:00:00Z', 'closed', NULL, NULL, NULL),
         ('2026-01-03T00:00:00Z', 'told', 4, 'Quick "and" kind 🦊', '2026-01-03T10:00:00.456Z')
       ) AS f (closed, state, rating, said, rated)
     WHERE guild_id = $1 AND number = 4`,
    [guildId],
  );
  await pool.query(
    `INSERT INTO guild_counters (guild_id, next_case_number, next_ticket_number) VALUES ($1, 11, 8)
     ON CONFLICT (guild_id) DO UPDATE SET next_case_number = 11, next_ticket_number = 8`,
    [guildId],
  );
}

const recordsIn = (lines: readonly string[]) =>
  lines.filter((line) => !/^\{"(format|type":"setting)/.test(line));

test('another Bailiff imports an archive unchanged: what it exports then is the same', async () => {
  verifies('archive.round-trip');
  await fill(guild);
  const archive = await linesOf(database.database, guild.id);
  expect(archive).toEqual(await linesOf(web, guild.id));
  expect(recordsIn(archive).map((line) => JSON.parse(line).type)).toEqual([
    ...Array(6).fill('case'),
    'note',
    'identity',
    'identity',
    'ticket',
    ...Array(8).fill('messages'),
    'ticket',
  ]);

  const settings = archive.map((line) => JSON.parse(line)).filter(({ type }) => type === 'setting');
  // Another Bailiff gives them ids of its own.
  expect(settings.find(({ name }) => name === 'presets')?.value).toEqual([
    {
      kind: 'ban',
      name: 'Raid',
      reason: 'Raiding',
      severity: null,
      duration_minutes: 60,
    },
  ]);

  expect(JSON.parse(recordsIn(archive)[3] ?? '').messages).toMatchObject([
    { message_id: '900000000000000001', text: 'Buy "sheep" 🐑', attached_at: '2026-04-02T00:00:00.001Z' },
    { message_id: '900000000000000002', text: null },
  ]);

  expect(JSON.parse(recordsIn(archive)[9] ?? '').notes).toEqual([
    { text: 'Ask the guards', by: guild.moderatorId, at: '2026-01-02T10:00:00.123Z' },
    { text: 'They saw "fox"', by: guild.moderatorId, at: '2026-01-02T11:00:00.000Z' },
  ]);

  expect(JSON.parse(recordsIn(archive)[9] ?? '').feedback).toEqual([
    // Whether a question that was being sent has arrived, nobody knows.
    { closed_at: '2026-01-02T20:00:00.123Z', state: 'unknown' },
    { closed_at: '2026-01-02T22:00:00.000Z', state: 'closed' },
    {
      closed_at: '2026-01-03T00:00:00.000Z',
      state: 'told',
      rating: 4,
      text: 'Quick "and" kind 🦊',
      rated_at: '2026-01-03T10:00:00.456Z',
    },
  ]);

  const other = await seedGuild(elsewhere.database);
  const call = await signedIn(elsewhere.database, other.ownerId);
  const first = await importInto(otherWeb, call, other.id, archive);
  expect(first.fates.filter(({ fate }) => fate !== 'new')).toEqual([]);
  expect(recordsIn(await linesOf(otherWeb, other.id))).toEqual(recordsIn(archive));

  // It is only a record there: nothing follows it.
  const { rows: jobs } = await elsewhere.database.pool.query(
    "SELECT key FROM graphile_worker.jobs WHERE key IS DISTINCT FROM 'learn_names'",
  );
  expect(jobs).toEqual([]);

  const again = await importInto(otherWeb, call, other.id, archive);
  expect(again.fates.map(({ fate }) => fate)).toEqual(first.fates.map(() => 'known'));
  // On its way back it is known as well.
  const owner = await signedIn(database.database, guild.ownerId);
  const back = await importInto(web, owner, guild.id, await linesOf(otherWeb, other.id));
  expect(back.fates.map(({ fate }) => fate)).toEqual(first.fates.map(() => 'known'));

  // A case that is opened afterwards has the next number, and an undo leaves nothing of the archive.
  const { rows: opened } = await elsewhere.database.pool.query(
    "SELECT case_number FROM open_case($1, 'ban', 'ban', $2, 'Later', $3, NULL, NULL)",
    [other.id, snowflake(), other.ownerId],
  );
  expect(opened).toEqual([{ case_number: 11 }]);
  expect(await undoImport(otherWeb, call, other.id, first.id)).toMatchObject({ kept: 0 });
  expect(recordsIn(await linesOf(otherWeb, other.id)).map((line) => JSON.parse(line).reason)).toEqual([
    'Later',
  ]);
});

const IDENTITY = { type: 'identity', platform: 'minecraft', set_at: '2024-05-06T00:00:00.000Z' };
const HEAD = { format: 'bailiff-archive', version: 1 };

test('an identity that somebody has here stays with them, and one that fits no game is refused', async () => {
  verifies('archive.identities');
  const owner = await signedIn(database.database, guild.ownerId);
  const { pool } = database.database;
  const [here, there] = [snowflake(), snowflake()];
  await pool.query(
    `INSERT INTO identities (guild_id, user_id, platform, in_game_id, key, set_by)
     VALUES ($1, $2, 'minecraft', 'Fox', 'fox', $3)`,
    [guild.id, here, guild.moderatorId],
  );
  const lines = [
    HEAD,
    { ...IDENTITY, user_id: there, in_game_id: 'FOX' },
    { ...IDENTITY, user_id: there, in_game_id: 'Wolf', set_by: here },
    { ...IDENTITY, user_id: here, in_game_id: 'wolf' },
    { ...IDENTITY, user_id: there, in_game_id: '@a' },
    { ...IDENTITY, user_id: there, in_game_id: 'Bear', platform: 'chess' },
    { ...IDENTITY, user_id: 'you', in_game_id: 'Bear' },
    { ...IDENTITY, user_id: there, in_game_id: 'Bear', set_at: '2999-01-01T00:00:00.000Z' },
    { ...IDENTITY, user_id: there, in_game_id: 'Bear', key: 'fox' },
  ].map((line) => JSON.stringify(line));
  const { id, fates } = await importInto(web, owner, guild.id, lines);
  expect(fates.map((fate) => ('problem' in fate ? fate.problem : fate.fate))).toEqual([
    ...['known', 'new', 'duplicate'],
    ...['bad_text', 'unknown_kind', 'bad_person', 'bad_time', 'unreadable'],
  ]);
  const kept = async () =>
    (
      await pool.query(
        'SELECT user_id, in_game_id, set_by FROM identities WHERE guild_id = $1 ORDER BY key',
        [guild.id],
      )
    ).rows;
  const fox = { user_id: here, in_game_id: 'Fox', set_by: guild.moderatorId };
  expect(await kept()).toEqual([fox, { user_id: there, in_game_id: 'Wolf', set_by: here }]);
  expect(await undoImport(web, owner, guild.id, id)).toMatchObject({ removed: 1, kept: 0 });
  expect(await kept()).toEqual([fox]);
});

test('identities in another guild take no room from an import', async () => {
  verifies('archive.identities', 'identities.bounded');
  const owner = await signedIn(database.database, guild.ownerId);
  const [elsewhere, person] = [await seedGuild(database.database), snowflake()];
  // Without triggers, which want a name for each: on a busy machine that takes longer than a statement may.
  const seeding = await database.database.pool.connect();
  try {
    await seeding.query('BEGIN; ALTER TABLE identities DISABLE TRIGGER USER');
    await seeding.query(
      `INSERT INTO identities (guild_id, user_id, platform, in_game_id, key, set_by)
       SELECT $1, CASE WHEN n > 10 THEN n::text ELSE $2 END, 'other', 'Player ' || n, 'player ' || n, '1'
       FROM generate_series(1, 50000) AS n`,
      [elsewhere.id, person],
    );
    await seeding.query('ALTER TABLE identities ENABLE TRIGGER USER; COMMIT');
  } finally {
    seeding.release(true);
  }
  const lines = [HEAD, { ...IDENTITY, user_id: person, in_game_id: 'Fox' }];
  const { fates } = await importInto(
    web,
    owner,
    guild.id,
    lines.map((line) => JSON.stringify(line)),
  );
  expect(fates.map(({ fate }) => fate)).toEqual(['new']);
});

test('an import keeps to ten identities of a person, and nothing names one that is forgotten or removed', async () => {
  verifies('archive.identities', 'identities.bounded');
  const owner = await signedIn(database.database, guild.ownerId);
  const { pool } = database.database;
  const [many, other] = [snowflake(), snowflake()];
  const lines = [
    HEAD,
    ...Array.from({ length: 12 }, (_, n) => ({ ...IDENTITY, user_id: many, in_game_id: `Player_${n}` })),
    { ...IDENTITY, user_id: other, in_game_id: 'Somebody' },
  ].map((line) => JSON.stringify(line));
  const file = { source: 'bailiff', fileName: 'a.jsonl', fileSize: 1 } as const;
  const { id } = await beginImport(web, owner, guild.id, file);
  const fates = await importRows(web, owner, guild.id, id, await rowsOf(lines));
  expect(fates.map(({ fate }) => fate)).toEqual([...Array(10).fill('new'), 'full', 'full', 'new']);

  const named = async () =>
    (
      await pool.query(
        "SELECT external_id FROM imported_rows WHERE guild_id = $1 AND external_id ~ 'somebody|player_0$'",
        [guild.id],
      )
    ).rowCount;
  expect(await named()).toBe(2);
  await pool.query("DELETE FROM identities WHERE guild_id = $1 AND key = 'player_0'", [guild.id]);
  await pool.query('SELECT forget_person($1)', [other]);
  expect(await named()).toBe(0);
});

test('a line that does not fit is refused alone, and what comes with a case never acts', async () => {
  verifies('archive.bad-input');
  const owner = await signedIn(database.database, guild.ownerId);
  await database.database.pool.query(
    "UPDATE guilds SET log_channel_id = '100000000000000007' WHERE id = $1",
    [guild.id],
  );
  await database.database.pool.query('DELETE FROM graphile_worker._private_jobs');
  const person = snowflake();
  const at = '2024-05-06T00:00:00.000Z';
  const ban = { type: 'case', id: 'one', kind: 'ban', user_id: person, issued_by: person, issued_at: at };
  const change = {
    by: person,
    at,
    before: { expires_at: null },
    after: { expires_at: '2024-05-07T00:00:00.000Z' },
  };
  const ticket = {
    type: 'ticket',
    id: 'tkt_a',
    subject: 'A',
    opened_by: person,
    opened_at: at,
    closed_at: at,
  };
  const message = {
    id: person,
    author_id: person,
    author_name: 'fox',
    sent_at: at,
    text: 'Hi',
    attachments: [],
  };
  const head = { format: 'bailiff-archive', version: 1 };
  const lines = [
    head,
    // A change of the future, which would move a job if it counted, and a link with a case that never came.
    {
      ...ban,
      expires_at: '2024-05-07T00:00:00.000Z',
      number: 500,
      links: [{ id: 'none', by: person, at }],
      changes: [{ ...change, at: new Date(Date.now() + 86_400_000).toISOString() }],
    },
    {
      ...ban,
      id: 'two',
      links: [
        { id: 'one', by: person, at },
        { id: 'two', by: person, at },
      ],
    },
    { ...ban, id: 'three', number: 1 },
    { ...ban, id: 'four', number: 10_000_001 },
    { ...ban, id: 'five', changes: [{ ...change, at: 'never' }] },
    { ...ban, id: 'six', changes: [{ ...change, after: { import_id: null } }] },
    {
      ...ban,
      id: 'seven',
      evidence: [
        { name: 'x', media_type: 'text/html', size_bytes: 1, sha256: null, problem: null, attached_at: at },
      ],
    },
    {
      ...ban,
      id: 'eight',
      messages: [{ channel_id: '../1', message_id: person, author_id: person, text: 'x', attached_at: at }],
    },
    ticket,
    { type: 'messages', ticket_id: 'tkt_a', part: 1, messages: [message] },
    { type: 'messages', ticket_id: 'tkt_b', part: 1, messages: [message] },
    { type: 'messages', ticket_id: 'tkt_a', part: 201, messages: [message] },
    {
      type: 'messages',
      ticket_id: 'tkt_a',
      part: 3,
      messages: Array(8).fill({ ...message, text: 'x'.repeat(7_500) }),
    },
    { type: 'messages', ticket_id: 'tkt_a', part: 0, messages: [message] },
    { ...ticket, id: 'tkt_e', feedback: [{ closed_at: at, state: 'told', rating: 6, rated_at: at }] },
    { ...ticket, id: 'tkt_f', feedback: [{ closed_at: at, state: 'told', rating: 5 }] },
    { ...ticket, id: 'tkt_g', feedback: [{ closed_at: at, state: 'told', text: 'Bad', rated_at: at }] },
    { ...ticket, id: 'tkt_h', feedback: Array(51).fill({ closed_at: at, state: 'told' }) },
    { ...ticket, id: 'tkt_c', channel_id: '1' },
    { ...ticket, id: 'tkt_d', notes: [{ text: 'x'.repeat(1_001), by: person, at }] },
    { type: 'unknown' },
  ].map((line) => JSON.stringify(line));
  const { fates } = await importInto(web, owner, guild.id, lines);
  expect(fates).toEqual([
    { fate: 'new', case_number: 500 },
    { fate: 'new', case_number: 501 },
    { fate: 'new', case_number: 502 },
    { fate: 'refused', problem: 'unreadable' },
    { fate: 'refused', problem: 'unreadable' },
    { fate: 'refused', problem: 'unreadable' },
    { fate: 'refused', problem: 'unreadable' },
    { fate: 'refused', problem: 'bad_text' },
    { fate: 'new', case_number: null },
    { fate: 'new', case_number: null },
    { fate: 'refused', problem: 'no_ticket' },
    ...Array(2).fill({ fate: 'refused', problem: 'transcript_too_long' }),
    ...Array(7).fill({ fate: 'refused', problem: 'unreadable' }),
  ]);
  const { rows: jobs } = await database.database.pool.query('SELECT key FROM graphile_worker.jobs');
  expect(jobs).toEqual([{ key: 'learn_names' }]);
  const records = recordsIn(await linesOf(web, guild.id)).map((line) => JSON.parse(line));
  expect(records.map(({ id, links, messages }) => [id, links?.length, messages?.length])).toEqual([
    ['one', undefined, undefined],
    ['two', 1, undefined],
    ['three', undefined, undefined],
    ['tkt_a', undefined, undefined],
    [undefined, undefined, 1],
  ]);
});

/** A case with so many messages, in each of which this expression of SQL is written. */
async function caseWithMessages(count: number, text: string): Promise<void> {
  await database.database.pool.query(
    `WITH raid AS (
       INSERT INTO cases (id, guild_id, case_number, kind, user_id, reason, issued_by, issued_at)
       VALUES (new_id('ban'), $1, 1, 'ban', $2, 'Raid', $3, '2024-01-02') RETURNING id)
     INSERT INTO case_messages (guild_id, case_id, channel_id, message_id, author_id, text)
     SELECT $1, id, $2, (200000000000000000 + n)::text, $2, ${text} FROM raid, generate_series(1, $4) AS n`,
    [guild.id, guild.memberId, guild.ownerId, count],
  );
}

test('a case comes with as many of its messages as a line has room for, however they are written', async () => {
  verifies('archive.round-trip');
  // In JSON each of these characters is two.
  await caseWithMessages(20, `repeat('"', 4000)`);
  const there = await seedGuild(elsewhere.database);
  const call = await signedIn(elsewhere.database, there.ownerId);
  const { fates } = await importInto(otherWeb, call, there.id, await linesOf(web, guild.id));
  expect(fates).toEqual([{ fate: 'new', case_number: 1 }]);
  const { rows } = await elsewhere.database.pool.query(
    'SELECT count(*)::int AS messages FROM case_messages WHERE guild_id = $1',
    [there.id],
  );
  expect(rows).toEqual([{ messages: 14 }]);
});

test('a case comes with its first twenty messages, which is as many as an import takes', async () => {
  verifies('archive.round-trip');
  await caseWithMessages(21, "'Word ' || n");
  const there = await seedGuild(elsewhere.database);
  const call = await signedIn(elsewhere.database, there.ownerId);
  const { fates } = await importInto(otherWeb, call, there.id, await linesOf(web, guild.id));
  expect(fates).toEqual([{ fate: 'new', case_number: 1 }]);
  const { rows } = await elsewhere.database.pool.query(
    'SELECT text FROM case_messages WHERE guild_id = $1 ORDER BY id',
    [there.id],
  );
  expect(rows.map(({ text }) => text)).toEqual(Array.from({ length: 20 }, (_, n) => `Word ${n + 1}`));
});

test('an archive has 200 parts of a transcript, and says of a longer one that messages are missing', async () => {
  verifies('archive.export');
  // Each of these messages is as long as a part may be.
  await database.database.pool.query(
    `INSERT INTO tickets (guild_id, number, subject, status, opened_by, closed_at, transcript)
     SELECT $1, n, 'Long', 'closed', $2, now(), (SELECT jsonb_agg(jsonb_build_object('id', m::text, 'author_id', $2::text,
         'author_name', 'x', 'sent_at', now(), 'text', repeat('x', 30000), 'attachments', '[]'::jsonb))
       FROM generate_series(1, 198 + n * 2) AS m)
     FROM generate_series(1, 2) AS n`,
    [guild.id, guild.memberId],
  );
  const lines = recordsIn(await linesOf(web, guild.id)).map((line) => JSON.parse(line));
  const [whole, cut] = lines.filter(({ type }) => type === 'ticket');
  expect([whole.is_cut, cut.is_cut]).toEqual([undefined, true]);
  for (const { id } of [whole, cut])
    expect(lines.filter(({ type, ticket_id }) => type === 'messages' && ticket_id === id)).toHaveLength(200);
});

test('an archive that broke off inside a transcript is completed by the whole one, and each part comes once', async () => {
  verifies('archive.round-trip');
  const call = await signedIn(database.database, guild.ownerId);
  const at = '2024-05-06T00:00:00.000Z';
  const message = { author_id: guild.strangerId, author_name: 'fox', author_is_bot: false, sent_at: at };
  const archive = [
    HEAD,
    {
      type: 'ticket',
      id: 'tkt_01',
      subject: 'Long',
      opened_by: guild.strangerId,
      opened_at: at,
      closed_at: at,
    },
    ...[1, 2, 3, 4].map((part) => ({
      type: 'messages',
      ticket_id: 'tkt_01',
      part,
      messages: [
        { id: `20000000000000000${part}`, ...message, text: `Part ${part}`, attachments: [], reply_to: null },
      ],
    })),
  ].map((line) => JSON.stringify(line));
  const said = async () =>
    recordsIn(await linesOf(web, guild.id))
      .flatMap((line) => JSON.parse(line).messages ?? [])
      .map(({ text }) => text);
  const fatesOf = ({ fates }: { fates: RowFate[] }) => fates.map(({ fate }) => fate);
  const whole = ['Part 1', 'Part 2', 'Part 3', 'Part 4'];

  const first = await importInto(web, call, guild.id, archive.slice(0, 4));
  expect(await said()).toEqual(['Part 1', 'Part 2']);
  const second = await importInto(web, call, guild.id, archive);
  expect(fatesOf(second)).toEqual(['known', 'known', 'known', 'new', 'new']);
  expect(await said()).toEqual(whole);
  expect(fatesOf(await importInto(web, call, guild.id, archive))).toEqual(Array(5).fill('known'));
  expect(await said()).toEqual(whole);

  // The parts belong to their ticket: they stay and go with it.
  await undoImport(web, call, guild.id, second.id);
  expect(await said()).toEqual(whole);
  expect(await undoImport(web, call, guild.id, first.id)).toEqual({ removed: 5, kept: 0 });
  expect(await said()).toEqual([]);
  expect(fatesOf(await importInto(web, call, guild.id, archive))).toEqual(Array(5).fill('new'));
  expect(await said()).toEqual(whole);
  expect(recordsIn(await linesOf(web, guild.id))).toHaveLength(2);
  expect(await linesOf(web, guild.id)).toContainEqual(expect.stringContaining('"id":"tkt_01"'));
});

test('a part of a transcript whose ticket is not there is refused, and comes when it is', async () => {
  verifies('archive.bad-input');
  const call = await signedIn(database.database, guild.ownerId);
  const file = { source: 'bailiff', fileName: 'parts.jsonl', fileSize: 1 } as const;
  const { id } = await beginImport(web, call, guild.id, file);
  const ticket = {
    type: 'ticket',
    id: 'tkt_late',
    subject: 'Late',
    opened_by: guild.strangerId,
    opened_at: '2026-11-20T10:00:00Z',
    closed_at: '2026-11-21T10:00:00Z',
  };
  const part = (n: number) => ({
    type: 'messages',
    ticket_id: 'tkt_late',
    part: n,
    messages: [
      {
        id: `20000000000000000${n}`,
        author_id: guild.strangerId,
        author_name: 'a',
        sent_at: '2026-11-20T10:00:00Z',
        text: `Part ${n}`,
        attachments: [],
      },
    ],
  });
  const bring = (...rows: object[]) => importRows(web, call, guild.id, id, rows);
  const said = async () => {
    const { rows } = await database.database.pool.query(
      "SELECT id, jsonb_path_query_array(transcript, '$[*].text') AS texts FROM tickets WHERE guild_id = $1",
      [guild.id],
    );
    return rows;
  };
  const refused = { fate: 'refused', problem: 'no_ticket' };
  const isNew = { fate: 'new', case_number: null };
  expect(await bring(part(1))).toEqual([refused]);
  expect(await bring(part(1), ticket)).toEqual([isNew, isNew]);
  expect(await bring(part(1), part(2), part(2))).toEqual([{ fate: 'known' }, isNew, { fate: 'duplicate' }]);
  const [{ id: ticketId }] = await said();
  expect(await said()).toEqual([{ id: ticketId, texts: ['Part 1', 'Part 2'] }]);

  // Somebody has noted on it since: an undo keeps it with its parts, which come no second time.
  await database.database.pool.query(
    "INSERT INTO ticket_notes (guild_id, ticket_id, text, written_by) VALUES ($1, $2, 'Kept', $3)",
    [guild.id, ticketId, guild.moderatorId],
  );
  expect(await undoImport(web, call, guild.id, id)).toEqual({ removed: 0, kept: 1 });
  const { id: later } = await beginImport(web, call, guild.id, file);
  expect(await importRows(web, call, guild.id, later, [ticket, part(1), part(2), part(3)])).toEqual([
    ...Array(3).fill({ fate: 'known' }),
    isNew,
  ]);
  expect(await said()).toEqual([{ id: ticketId, texts: ['Part 1', 'Part 2', 'Part 3'] }]);

  // What was said in it since it was opened again is the bot's to write.
  await database.database.pool.query('UPDATE tickets SET reopened_at = now() WHERE id = $1', [ticketId]);
  expect(await importRows(web, call, guild.id, later, [part(4)])).toEqual([refused]);
  expect(await said()).toEqual([{ id: ticketId, texts: ['Part 1', 'Part 2', 'Part 3'] }]);
});

test('parts of a transcript that come together are written together', async () => {
  verifies('archive.parts-together');
  const call = await signedIn(database.database, guild.ownerId);
  const file = { source: 'bailiff', fileName: 'parts.jsonl', fileSize: 1 } as const;
  const { id } = await beginImport(web, call, guild.id, file);
  const ticket = { type: 'ticket', id: 'tkt_long', subject: 'Long', opened_by: guild.strangerId };
  const times = { opened_at: '2026-11-20T10:00:00Z', closed_at: '2026-11-21T10:00:00Z' };
  await importRows(web, call, guild.id, id, [{ ...ticket, ...times }]);
  const { pool } = database.database;
  // Text that does not become smaller.
  await pool.query(
    `UPDATE tickets SET transcript = (SELECT jsonb_agg(jsonb_build_object('id', n::text, 'text',
        (SELECT string_agg(md5(n::text || m), '') FROM generate_series(1, 30) AS m))) FROM generate_series(1, 4000) AS n)
     WHERE guild_id = $1`,
    [guild.id],
  );
  // Each time that a transcript is written, its old text stays behind in the table.
  const written = async () => {
    const { rows } = await pool.query<{ bytes: string }>("SELECT pg_total_relation_size('tickets') AS bytes");
    return Number(rows[0]?.bytes);
  };
  const message = { author_id: guild.strangerId, author_name: 'a', sent_at: '2026-11-20T10:00:00Z' };
  const parts = Array.from({ length: 8 }, (_, n) => ({
    type: 'messages',
    ticket_id: 'tkt_long',
    part: n + 1,
    messages: [1, 2].map((m) => ({ id: `2000000000000000${n}${m}`, ...message, text: 'x', attachments: [] })),
  }));
  const before = await written();
  expect(await importRows(web, call, guild.id, id, parts)).toEqual(
    parts.map(() => ({ fate: 'new', case_number: null })),
  );
  const { rows } = await pool.query<{ bytes: number; ids: string[] }>(
    `SELECT pg_column_size(transcript) AS bytes, ARRAY(SELECT m->>'id' FROM jsonb_array_elements(transcript) AS m
       OFFSET 4000) AS ids FROM tickets WHERE guild_id = $1`,
    [guild.id],
  );
  expect(rows[0]?.ids).toEqual(parts.flatMap(({ messages }) => messages.map((each) => each.id)));
  expect((await written()) - before).toBeLessThan(3 * Number(rows[0]?.bytes));
});

test('a guild takes a bounded number of bytes', async () => {
  verifies('archive.bad-input');
  const owner = await signedIn(database.database, guild.ownerId);
  const file = { source: 'bailiff', fileName: 'a.jsonl', fileSize: 1 } as const;
  const { id } = await beginImport(web, owner, guild.id, file);
  const row = {
    type: 'note',
    id: '1',
    user_id: snowflake(),
    text: 'Hello',
    written_at: '2024-05-06T00:00:00Z',
  };
  await database.database.pool.query(
    'UPDATE imports SET brought_bytes = 1024::bigint ^ 3 - 10 WHERE id = $1',
    [id],
  );
  expect(await importRows(web, owner, guild.id, id, [row])).toEqual([{ fate: 'full' }]);
});

test("what came before uses none of a guild's bytes when it is sent again, and is known also when they are used up", async () => {
  verifies('archive.bad-input');
  const owner = await signedIn(database.database, guild.ownerId);
  const file = { source: 'bailiff', fileName: 'a.jsonl', fileSize: 1 } as const;
  const { id } = await beginImport(web, owner, guild.id, file);
  const at = '2024-05-06T00:00:00Z';
  const message = {
    id: snowflake(),
    author_id: guild.strangerId,
    author_name: 'a',
    sent_at: at,
    attachments: [],
  };
  const note = (name: string) => ({
    type: 'note',
    id: name,
    user_id: snowflake(),
    text: 'Hello',
    written_at: at,
  });
  const ticket = {
    type: 'ticket',
    id: 'tkt_known',
    subject: 'Help',
    opened_by: guild.strangerId,
    opened_at: at,
    closed_at: at,
  };
  const part = {
    type: 'messages',
    ticket_id: 'tkt_known',
    part: 1,
    messages: [{ ...message, text: 'Hello' }],
  };
  const rows = [note('1'), ticket, part];
  const send = async (sent: readonly object[]) =>
    (await importRows(web, owner, guild.id, id, sent)).map(({ fate }) => fate);
  const bytes = async () => {
    const text = 'SELECT brought_bytes::int AS bytes FROM imports WHERE id = $1';
    return (await database.database.pool.query<{ bytes: number }>(text, [id])).rows[0]?.bytes;
  };
  expect(await send(rows)).toEqual(['new', 'new', 'new']);
  const once = await bytes();
  expect(once).toBeGreaterThan(JSON.stringify(rows).length / 2);
  expect(await send(rows)).toEqual(['known', 'known', 'known']);
  expect(await bytes()).toBe(once);
  await database.database.pool.query(
    'UPDATE imports SET brought = 250000, brought_bytes = 1024::bigint ^ 3 WHERE id = $1',
    [id],
  );
  expect(await send([...rows, note('2')])).toEqual(['known', 'known', 'known', 'full']);
});

test('a guild takes 250,000 rows; those of other guilds and of what was undone do not count', async () => {
  verifies('archive.bad-input');
  const brought = async (at: SeededGuild, rows: number, isUndone = false) => {
    const call = await signedIn(database.database, at.ownerId);
    const file = { source: 'bailiff', fileName: `${rows} ${isUndone}.jsonl`, fileSize: 1 } as const;
    const { id } = await beginImport(web, call, at.id, file);
    await database.database.pool.query(
      'UPDATE imports SET brought = $2, undone_at = CASE WHEN $3 THEN now() END WHERE id = $1',
      [id, rows, isUndone],
    );
    return { id, call };
  };
  await brought(await seedGuild(database.database), 250_000);
  await brought(guild, 250_000, true);
  const { id, call } = await brought(guild, 249_999);
  const row = { type: 'note', user_id: snowflake(), text: 'Hello', written_at: '2024-05-06T00:00:00Z' };
  const fates = async (rowId: string) =>
    (await importRows(web, call, guild.id, id, [{ ...row, id: rowId }])).map(({ fate }) => fate);
  expect(await fates('1')).toEqual(['new']);
  expect(await fates('2')).toEqual(['full']);
});
