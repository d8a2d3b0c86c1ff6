import { verifies } from '@bailiff/core/testing';
import { type Database, openDatabase } from '@bailiff/prisma';
import { createTestDatabase, LONG_LIMITS, type TestDatabase } from '@bailiff/prisma/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { DashboardCall } from '#src/calls/dashboard-call.ts';
import {
  beginImport,
  checkRows,
  finishImport,
  importRows,
  listImports,
  undoImport,
} from '#src/imports/imports.ts';
import { type SeededGuild, seedGuild, signedIn, snowflake } from '#src/testing.ts';

let database: TestDatabase;
let web: Database;
let guild: SeededGuild;
let owner: DashboardCall;
let person: string;

beforeAll(async () => {
  database = await createTestDatabase();
  web = openDatabase(database.processUrls.web, { ...LONG_LIMITS, applicationName: 'web' });
});
afterAll(async () => {
  await web.close();
  await database.drop();
});
beforeEach(async () => {
  guild = await seedGuild(database.database);
  person = snowflake();
  owner = await signedIn(database.database, guild.ownerId);
});

const query = async (text: string, ...values: unknown[]) =>
  (await database.database.pool.query(text, values)).rows;
const casesOf = () =>
  query(
    `SELECT id, case_number, kind, reason, issued_by, issued_at, ended_by, ended_at, expires_at FROM cases
     WHERE guild_id = $1 ORDER BY case_number`,
    guild.id,
  );

const FILE = { source: 'zeppelin', fileName: 'export.json', fileSize: 1_000 } as const;
const AT = '2021-03-04T05:06:07.000Z';
const caseRow = (id: string, more: object = {}) => ({
  type: 'case',
  id,
  kind: 'ban',
  user_id: person,
  reason: `Case ${id}`,
  issued_by: guild.moderatorId,
  issued_at: AT,
  ...more,
});
const noteRow = (id: string, more: object = {}) => ({
  ...{ type: 'note', id, user_id: person, text: `Note ${id}`, written_at: AT },
  ...more,
});
const begin = async () => (await beginImport(web, owner, guild.id, FILE)).id;

test('rows become cases and notes of their own time, and a dry run says the same before', async () => {
  verifies('imports.rows');
  const rows = [
    caseRow('1'),
    caseRow('2', { kind: 'mute', issued_by: null }),
    {
      type: 'end',
      id: '3',
      kind: 'ban',
      user_id: person,
      ended_at: '2021-05-01T00:00:00Z',
      end_reason: 'Sorry',
    },
    noteRow('4'),
    caseRow('1'),
    caseRow('5', { kind: 'jail' }),
  ];
  const dry = await checkRows(web, owner, guild.id, 'zeppelin', rows);
  expect(dry.map(({ fate }) => fate)).toEqual(['new', 'new', 'new', 'new', 'duplicate', 'refused']);
  expect(await casesOf()).toEqual([]);

  expect(await importRows(web, owner, guild.id, await begin(), rows)).toEqual([
    { fate: 'new', case_number: 1 },
    { fate: 'new', case_number: 2 },
    { fate: 'new', case_number: null },
    { fate: 'new', case_number: null },
    { fate: 'duplicate' },
    { fate: 'refused', problem: 'unknown_kind' },
  ]);
  const issued = { issued_at: new Date(AT) };
  expect(await casesOf()).toMatchObject([
    {
      kind: 'ban',
      reason: 'Case 1',
      issued_by: guild.moderatorId,
      ...issued,
      ended_by: guild.ownerId,
      expires_at: null,
    },
    { kind: 'mute', issued_by: guild.ownerId, ...issued, expires_at: new Date(AT) },
  ]);
  const [note] = await query('SELECT id, text, written_by FROM notes WHERE guild_id = $1', guild.id);
  expect(note).toMatchObject({ text: 'Note 4', written_by: guild.ownerId });
  // Ids sort by when a record was made, so the past does not come first in lists.
  const [{ now }] = await query("SELECT new_id('not') AS now");
  expect(note.id < now && note.id.length === now.length).toBe(true);
});

test('records of one moment keep the order of the file, which comes in several steps', async () => {
  verifies('imports.rows');
  const id = await begin();
  const notes = Array.from({ length: 140 }, (_, n) => noteRow(`note ${n}`));
  const ticket = {
    ...{ type: 'ticket', id: 'noted', subject: 'Noted', opened_by: person, opened_at: AT, closed_at: AT },
    notes: Array.from({ length: 20 }, (_, n) => ({ text: `Note ${n}`, by: person, at: AT })),
  };
  // The second step has some of the first again.
  await importRows(web, owner, guild.id, id, notes.slice(0, 70));
  await importRows(web, owner, guild.id, id, [...notes.slice(50), ticket]);
  const ofMember = await query('SELECT text FROM notes WHERE guild_id = $1 ORDER BY id', guild.id);
  expect(ofMember.map(({ text }) => text)).toEqual(notes.map(({ text }) => text));
  const ofTicket = await query('SELECT text FROM ticket_notes WHERE guild_id = $1 ORDER BY id', guild.id);
  expect(ofTicket.map(({ text }) => text)).toEqual(ticket.notes.map(({ text }) => text));
  const [{ usual }] = await query('SELECT id AS usual FROM notes WHERE guild_id = $1', guild.id);
  expect(usual).toMatch(/^not_[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
});

test('an ending ends what stood at that time, of the same source', async () => {
  verifies('imports.rows');
  const ending = (id: string, ended_at: string) => ({
    type: 'end',
    id,
    kind: 'ban',
    user_id: person,
    ended_at,
  });
  const other = await beginImport(web, owner, guild.id, { ...FILE, source: 'csv' });
  await importRows(web, owner, guild.id, other.id, [caseRow('other')]);
  await finishImport(web, owner, guild.id, other.id);
  const id = await begin();
  await importRows(web, owner, guild.id, id, [caseRow('1'), ending('2', '2021-03-01T00:00:00Z')]);
  expect((await casesOf()).map(({ ended_at }) => ended_at)).toEqual([null, null]);
  await importRows(web, owner, guild.id, id, [ending('3', '2021-03-05T00:00:00Z')]);
  expect((await casesOf()).map(({ ended_at }) => ended_at)).toEqual([null, new Date('2021-03-05T00:00:00Z')]);
});

test('a file that is sent twice, in other parts or by several at once comes once', async () => {
  verifies('imports.rows');
  const rows = Array.from({ length: 40 }, (_, n) => caseRow(String(n)));
  const id = await begin();
  await importRows(web, owner, guild.id, id, rows.slice(0, 25));
  // The browser was closed here: the same file goes on with the same import.
  expect(await begin()).toBe(id);
  const again = await Promise.all(
    [rows, rows, rows.slice(20)].map((part) => importRows(web, owner, guild.id, id, part)),
  );
  expect(again.flat().filter(({ fate }) => fate === 'new')).toHaveLength(15);
  const numbers = (await casesOf()).map(({ case_number }) => case_number);
  expect(numbers).toEqual(rows.map((_, n) => n + 1));
  expect(
    (await checkRows(web, owner, guild.id, 'zeppelin', rows)).every(({ fate }) => fate === 'known'),
  ).toBe(true);
  expect(await listImports(web, guild.id)).toMatchObject([{ id, brought: 40, finished_at: null }]);
});

test('what a guild has itself is known in it, and new in another guild', async () => {
  verifies('imports.rows');
  await importRows(web, owner, guild.id, await begin(), [caseRow('1'), noteRow('2')]);
  const [own] = await casesOf();
  const [note] = await query('SELECT id FROM notes WHERE guild_id = $1', guild.id);
  const rows = [caseRow(own.id), noteRow(note.id)];
  expect(await checkRows(web, owner, guild.id, 'bailiff', rows)).toEqual([
    { fate: 'known' },
    { fate: 'known' },
  ]);
  const again = await beginImport(web, owner, guild.id, { ...FILE, source: 'bailiff' });
  const fates = await importRows(web, owner, guild.id, again.id, rows);
  expect(fates).toEqual([{ fate: 'known' }, { fate: 'known' }]);
  guild = await seedGuild(database.database);
  owner = await signedIn(database.database, guild.ownerId);
  const other = await beginImport(web, owner, guild.id, { ...FILE, source: 'bailiff' });
  expect(await importRows(web, owner, guild.id, other.id, rows)).toMatchObject([
    { fate: 'new' },
    { fate: 'new' },
  ]);
});

test.each([
  ['pending', 'known'],
  ['running', 'known'],
  ['done', 'new'],
])('a ban of which an action of Bailiff is %s is %s in a list of bans', async (state, fate) => {
  verifies('imports.discord');
  await query(
    `INSERT INTO actions (guild_id, operation, input, digest, state, actor_source, actor_user_id, request_id, claim_by,
       target_type, target_id)
     VALUES ($1, 'bans.add', '{}', '', $2::"ActionState", 'chat', $3, 'req_ban', now(), 'user', $4)`,
    guild.id,
    state,
    guild.ownerId,
    person,
  );
  const listed = [caseRow(`${person}/imp_1`)];
  expect(await checkRows(web, owner, guild.id, 'discord', listed)).toMatchObject([{ fate }]);
});

test('who is in a list of bans for a softban is known while that is still to be lifted', async () => {
  verifies('imports.discord');
  const [softban] = await query(
    "SELECT id FROM open_case($1, 'softban', 'sft', $2, 'Clean up', $3, 0, NULL)",
    guild.id,
    person,
    guild.moderatorId,
  );
  const listed = () => checkRows(web, owner, guild.id, 'discord', [caseRow(`${person}/imp_1`)]);
  expect(await listed()).toMatchObject([{ fate: 'known' }]);
  await query('UPDATE cases SET ended_at = now() WHERE id = $1', softban.id);
  expect(await listed()).toMatchObject([{ fate: 'new' }]);
});

test('an imported case is a record: nothing follows it, and nobody is asked for at once', async () => {
  verifies('imports.records-only');
  await query("UPDATE guilds SET log_channel_id = '100000000000000007' WHERE id = $1", guild.id);
  await query('DELETE FROM graphile_worker._private_jobs');
  const expires_at = new Date(Date.now() + 1_000).toISOString();
  const over = '2021-04-04T00:00:00Z';
  await importRows(web, owner, guild.id, await begin(), [
    caseRow('1', { expires_at }),
    caseRow('2', { expires_at: over }),
    caseRow('3', { kind: 'softban' }),
    { type: 'end', id: '4', kind: 'mute', user_id: person, ended_at: '2021-05-01T00:00:00Z' },
    caseRow('5', { kind: 'mute', expires_at: over }),
    { type: 'end', id: '6', kind: 'mute', user_id: person, ended_at: '2021-03-05T00:00:00Z' },
  ]);
  const jobs = await query('SELECT key FROM graphile_worker._private_jobs');
  expect(jobs).toEqual([{ key: 'learn_names' }]);
  const [learned] = await query(
    'SELECT met_at > now() AS later FROM names_to_learn WHERE user_id = $1',
    person,
  );
  expect(learned).toEqual({ later: true });
  expect(await casesOf()).toMatchObject([
    { ended_at: null },
    { ended_at: null },
    { ended_at: new Date(AT) },
    { ended_at: new Date('2021-03-05T00:00:00Z') },
  ]);
});

test('a ban that is given while an end of the same person comes does not wait for the import in a circle', async () => {
  verifies('imports.rows');
  const { pool } = database.database;
  await importRows(web, owner, guild.id, await begin(), [caseRow('1')]);
  const id = await begin();
  const banning = await pool.connect();
  try {
    await banning.query('BEGIN');
    await banning.query("SELECT end_cases_of($1, 'ban', $2, $3, 'Replaced', NULL, now(), true)", [
      ...[guild.id, person, guild.moderatorId],
    ]);
    const end = { type: 'end', id: '2', kind: 'ban', user_id: person, ended_at: '2021-05-01T00:00:00Z' };
    const importing = importRows(web, owner, guild.id, id, [end, noteRow('3')]);
    importing.catch(() => {});
    const waiting = `SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%import_rows(%'`;
    await expect.poll(() => query(waiting), { timeout: 120_000 }).toHaveLength(1);
    await banning.query("SELECT open_case($1, 'ban', 'ban', $2, 'Spam', $3, NULL, NULL)", [
      ...[guild.id, person, guild.moderatorId],
    ]);
    await banning.query('COMMIT');
    expect(await importing).toMatchObject([{ fate: 'new' }, { fate: 'new' }]);
  } finally {
    banning.release(true);
  }
  expect(await casesOf()).toMatchObject([
    { ended_by: guild.moderatorId },
    { reason: 'Spam', ended_at: null },
  ]);
});

test('an end that is older than a case does not end it', async () => {
  verifies('imports.rows');
  const end = { type: 'end', id: '2', kind: 'ban', user_id: person, ended_at: '2021-03-01T00:00:00Z' };
  await importRows(web, owner, guild.id, await begin(), [caseRow('1'), end]);
  expect(await casesOf()).toMatchObject([{ kind: 'ban', ended_at: null }]);
});

test('an unmute says who lifted the latest mute before it, also where nobody knows how long that was', async () => {
  verifies('imports.rows');
  const muted = (id: string, issued_at: string) => caseRow(id, { kind: 'mute', issued_at });
  const unmute = { type: 'end', id: '4', kind: 'mute', user_id: person, ended_at: '2021-05-01T00:00:00Z' };
  await importRows(web, owner, guild.id, await begin(), [
    muted('1', '2021-03-01T00:00:00Z'),
    muted('2', '2021-04-01T00:00:00Z'),
    muted('3', '2021-06-01T00:00:00Z'),
    { ...unmute, ended_by: guild.moderatorId, end_reason: 'Sorry' },
  ]);
  const lifted = { ended_at: new Date(unmute.ended_at), ended_by: guild.moderatorId };
  const open = { ended_at: null, ended_by: null };
  expect(await casesOf()).toMatchObject([open, lifted, open]);
});

test('a case is linked with no case of another guild, whatever its archive says', async () => {
  verifies('imports.rows');
  const other = await seedGuild(database.database);
  const [foreign] = await query(
    "SELECT id FROM open_case($1, 'ban', 'ban', $2, 'Elsewhere', $3, NULL, NULL)",
    other.id,
    person,
    other.moderatorId,
  );
  const links = [foreign.id, 'case 1'].map((id) => ({ id, by: guild.moderatorId, at: AT }));
  await importRows(web, owner, guild.id, await begin(), [caseRow('case 1'), caseRow('case 2', { links })]);
  const ids = (await casesOf()).map(({ id }) => id);
  const linked = await query('SELECT case_id, other_id FROM case_links WHERE guild_id = $1', guild.id);
  expect(linked.map(({ case_id, other_id }) => [case_id, other_id].sort())).toEqual([ids.sort()]);
});

test('an undo removes what the import brought, not what came after or what somebody has changed', async () => {
  verifies('imports.undo');
  const rows = [caseRow('1'), caseRow('2'), caseRow('3'), noteRow('4')];
  const id = await begin();
  await importRows(web, owner, guild.id, id, rows);
  await finishImport(web, owner, guild.id, id);
  const [, changed] = await casesOf();
  await query(
    `INSERT INTO case_changes (guild_id, case_id, action_id, changed_by, before, after)
     VALUES ($1, $2, 'act_1', $3, '{}', '{}')`,
    guild.id,
    changed.id,
    guild.moderatorId,
  );
  await query(
    "SELECT open_case($1, 'ban', 'ban', $2, 'Later', $3, NULL, NULL)",
    guild.id,
    person,
    guild.moderatorId,
  );
  expect(await undoImport(web, owner, guild.id, id)).toEqual({ removed: 3, kept: 1 });
  expect((await casesOf()).map(({ reason }) => reason)).toEqual(['Case 2', 'Later']);
  expect(await query('SELECT FROM notes WHERE guild_id = $1', guild.id)).toEqual([]);
  await expect(importRows(web, owner, guild.id, id, rows)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(undoImport(web, owner, guild.id, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const anew = await importRows(web, owner, guild.id, await begin(), rows);
  expect(anew.map(({ fate }) => fate)).toEqual(['new', 'known', 'new', 'new']);
  const events = await query(
    "SELECT operation, actor_user_id FROM audit WHERE guild_id = $1 AND operation LIKE 'imports.%' ORDER BY at, id",
    guild.id,
  );
  expect(events.map(({ operation }) => operation)).toEqual([
    'imports.begin',
    'imports.finish',
    'imports.undo',
    'imports.begin',
  ]);
});

test('an undo takes back the ends that the import brought to cases of earlier ones', async () => {
  verifies('imports.undo');
  await query("UPDATE guilds SET log_channel_id = '100000000000000007' WHERE id = $1", guild.id);
  await query('DELETE FROM graphile_worker._private_jobs');
  const end = (id: string, kind: string) => ({
    type: 'end',
    id,
    kind,
    user_id: person,
    ended_at: '2021-05-01T00:00:00Z',
    end_reason: 'Unbanned there',
  });
  const first = await begin();
  const until = '2031-01-01T00:00:00Z';
  await importRows(web, owner, guild.id, first, [
    caseRow('1'),
    caseRow('2'),
    caseRow('3', { kind: 'mute', expires_at: until }),
    caseRow('4', { ended_at: '2021-04-01T00:00:00Z' }),
  ]);
  await finishImport(web, owner, guild.id, first);
  const before = await casesOf();

  const later = { ...FILE, fileName: 'later.json' };
  const { id } = await beginImport(web, owner, guild.id, later);
  const rows = [end('5', 'ban'), end('6', 'mute'), end('7', 'ban'), caseRow('8', { kind: 'mute' })];
  await importRows(web, owner, guild.id, id, rows);
  expect((await casesOf()).filter(({ ended_at }) => ended_at === null)).toEqual([]);
  expect(await undoImport(web, owner, guild.id, id)).toEqual({ removed: 4, kept: 0 });
  expect(await casesOf()).toEqual(before);
  const reasons = await query(
    'SELECT end_reason FROM cases WHERE guild_id = $1 AND ended_at IS NULL',
    guild.id,
  );
  expect(reasons).toEqual(Array(3).fill({ end_reason: null }));
  expect(await query("SELECT key FROM graphile_worker._private_jobs WHERE key LIKE 'post_case%'")).toEqual(
    [],
  );

  // The same rows come again. What somebody has ended here since stays ended.
  const again = (await beginImport(web, owner, guild.id, later)).id;
  await importRows(web, owner, guild.id, again, [end('5', 'ban')]);
  const [one, two, mute] = before;
  await query("UPDATE cases SET end_action_id = 'act_1' WHERE id = $1", two.id);
  await undoImport(web, owner, guild.id, again);
  const open = (await casesOf()).filter(({ ended_at }) => ended_at === null);
  expect(open.map(({ case_number }) => case_number)).toEqual([one.case_number, mute.case_number]);
});

test('an end that an import brings decides no appeal, and after its undo the appeal waits again', async () => {
  verifies('imports.rows', 'imports.undo');
  const first = await begin();
  await importRows(web, owner, guild.id, first, [caseRow('1'), caseRow('2'), caseRow('3')]);
  await finishImport(web, owner, guild.id, first);
  await query(
    `INSERT INTO appeals (guild_id, case_id, user_id, answers, language, state, decided_at)
     SELECT $1, id, user_id, '[]', 'en', CASE case_number WHEN 1 THEN 'sent' WHEN 2 THEN 'in_review' ELSE 'refused' END
       ::"AppealState", CASE case_number WHEN 3 THEN issued_at END FROM cases WHERE guild_id = $1`,
    guild.id,
  );
  await query(
    `INSERT INTO appeal_votes (appeal_id, user_id, is_for)
     SELECT id, $2, true FROM appeals WHERE guild_id = $1 AND state = 'in_review'`,
    ...[guild.id, guild.moderatorId],
  );
  await query('DELETE FROM graphile_worker._private_jobs');
  const appeals = () =>
    query(
      `SELECT a.state, a.decided_by, a.decided_at IS NOT NULL AS is_over FROM appeals a JOIN cases c ON c.id = a.case_id
       WHERE a.guild_id = $1 ORDER BY c.case_number`,
      guild.id,
    );
  const refused = { state: 'refused', decided_by: null, is_over: true };

  const { id } = await beginImport(web, owner, guild.id, { ...FILE, fileName: 'later.json' });
  const end = { type: 'end', id: '4', kind: 'ban', user_id: person, ended_at: '2021-05-01T00:00:00Z' };
  await importRows(web, owner, guild.id, id, [{ ...end, ended_by: guild.moderatorId }]);
  const over = { state: 'over', decided_by: null, is_over: true };
  expect(await appeals()).toEqual([over, over, refused]);
  await undoImport(web, owner, guild.id, id);
  const waiting = { decided_by: null, is_over: false };
  expect(await appeals()).toEqual([
    { ...waiting, state: 'sent' },
    { ...waiting, state: 'in_review' },
    refused,
  ]);
  expect(await query("SELECT FROM graphile_worker._private_jobs WHERE key LIKE 'tell_appeal%'")).toEqual([]);
});

test('an undo lets no appeal wait again that was over before its import', async () => {
  verifies('imports.undo');
  await importRows(web, owner, guild.id, await begin(), [
    caseRow('1', { expires_at: '2022-01-01T00:00:00Z' }),
  ]);
  await query(
    `INSERT INTO appeals (guild_id, case_id, user_id, answers, language, state, decided_at)
     SELECT $1, id, user_id, '[]', 'en', 'over', expires_at FROM cases WHERE guild_id = $1`,
    guild.id,
  );
  const { id } = await beginImport(web, owner, guild.id, { ...FILE, fileName: 'later.json' });
  const end = { type: 'end', id: '2', kind: 'ban', user_id: person, ended_at: '2021-05-01T00:00:00Z' };
  await importRows(web, owner, guild.id, id, [{ ...end, ended_by: guild.moderatorId }]);
  expect(await casesOf()).toMatchObject([{ ended_by: guild.moderatorId }]);
  await undoImport(web, owner, guild.id, id);
  expect(await casesOf()).toMatchObject([{ ended_by: null }]);
  expect(await query('SELECT state, decided_at FROM appeals WHERE guild_id = $1', guild.id)).toEqual([
    { state: 'over', decided_at: new Date('2022-01-01T00:00:00Z') },
  ]);
});

test('one end can end very many cases of a person, and an undo takes it back from all of them', async () => {
  verifies('imports.rows', 'imports.undo');
  const first = await begin();
  const bans = Array.from({ length: 300 }, (_, at) => caseRow(`ban ${at}`));
  await importRows(web, owner, guild.id, first, bans);
  await finishImport(web, owner, guild.id, first);
  const openCases = async () =>
    (await query('SELECT FROM cases WHERE guild_id = $1 AND ended_at IS NULL', guild.id)).length;

  const { id } = await beginImport(web, owner, guild.id, { ...FILE, fileName: 'later.json' });
  const end = { type: 'end', id: 'end', kind: 'ban', user_id: person, ended_at: '2021-05-01T00:00:00Z' };
  expect(await importRows(web, owner, guild.id, id, [end])).toMatchObject([{ fate: 'new' }]);
  expect(await openCases()).toBe(0);
  expect(await importRows(web, owner, guild.id, id, [end])).toMatchObject([{ fate: 'known' }]);
  expect(await undoImport(web, owner, guild.id, id)).toEqual({ removed: 1, kept: 0 });
  expect(await openCases()).toBe(300);
  expect(await query('SELECT FROM imported_rows WHERE import_id = $1', id)).toEqual([]);
});

test('a case that stays after an undo keeps the end that came with it', async () => {
  verifies('imports.undo');
  const id = await begin();
  const ended_at = '2021-05-01T00:00:00Z';
  await importRows(web, owner, guild.id, id, [
    caseRow('1'),
    { type: 'end', id: '2', kind: 'ban', user_id: person, ended_at },
  ]);
  const [{ id: caseId }] = await casesOf();
  await query(
    `INSERT INTO case_changes (guild_id, case_id, action_id, changed_by, before, after)
     VALUES ($1, $2, 'act_1', $3, '{}', '{}')`,
    guild.id,
    caseId,
    guild.moderatorId,
  );
  expect(await undoImport(web, owner, guild.id, id)).toEqual({ removed: 1, kept: 1 });
  expect(await casesOf()).toMatchObject([{ ended_at: new Date(ended_at) }]);
});

test('nobody but the owner imports, not even a web process that says it is them', async () => {
  verifies('imports.owner');
  const id = await begin();
  const moderator = await signedIn(database.database, guild.moderatorId);
  for (const refused of [
    () => beginImport(web, moderator, guild.id, FILE),
    () => importRows(web, moderator, guild.id, id, [caseRow('1')]),
    () => checkRows(web, moderator, guild.id, 'csv', [caseRow('1')]),
    () => finishImport(web, moderator, guild.id, id),
    () => undoImport(web, moderator, guild.id, id),
  ]) {
    await expect(refused()).rejects.toMatchObject({
      status: expect.toSatisfy((status) => status === 403 || status === 404),
    });
  }
  // The moderator's session with the owner's name, no session at all, and another guild's owner.
  const forged = { ...moderator, userId: guild.ownerId };
  const stranger = await signedIn(database.database, (await seedGuild(database.database)).ownerId);
  for (const call of [
    forged,
    { ...forged, sessionProof: undefined },
    { ...stranger, userId: guild.ownerId },
  ]) {
    await expect(importRows(web, call, guild.id, id, [caseRow('1')])).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(undoImport(web, call, guild.id, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(beginImport(web, call, guild.id, { ...FILE, fileSize: 2 })).rejects.toThrow();
  }
  for (const statement of [
    "INSERT INTO imported_rows (guild_id, source, external_id, import_id) VALUES ('1', 'csv', '1', '1')",
    'DELETE FROM imports',
    'UPDATE imports SET undone_at = NULL',
    "SELECT importing('{}')",
  ]) {
    await expect(web.pool.query(statement)).rejects.toMatchObject({ code: '42501' });
  }
  expect(await casesOf()).toEqual([]);
});

test('an undo keeps what somebody has attached to, noted on or opened again since', async () => {
  verifies('imports.undo');
  const at = new Date(Date.now() - 3_600_000).toISOString();
  // What an archive says is no later than the import, whatever it says.
  const later = new Date(Date.now() + 3_600_000).toISOString();
  const file = {
    name: 'a.png',
    media_type: null,
    size_bytes: 1,
    sha256: null,
    problem: null,
    attached_at: later,
  };
  const message = {
    channel_id: person,
    message_id: person,
    author_id: person,
    text: 'x',
    attached_at: later,
  };
  const ticket = (name: string) => ({
    type: 'ticket',
    id: name,
    subject: name,
    opened_by: person,
    opened_at: AT,
    closed_at: at,
    notes: [{ text: 'Old', by: person, at: later }],
  });
  const rows = [
    caseRow('1', { evidence: [file], messages: [message] }),
    caseRow('with a file'),
    caseRow('with a message'),
    ticket('5'),
    ticket('noted'),
    ticket('opened again'),
  ];
  const id = await begin();
  // What is attached below is later, also if the clock steps back meanwhile.
  await query("UPDATE imports SET begun_at = begun_at - interval '2 seconds' WHERE id = $1", id);
  const fates = await importRows(web, owner, guild.id, id, rows);
  expect(fates.map(({ fate }) => fate)).toEqual(rows.map(() => 'new'));
  const [, withFile, withMessage] = await casesOf();
  const [, noted, reopened] = await query(
    'SELECT id FROM tickets WHERE guild_id = $1 ORDER BY number',
    guild.id,
  );
  await query(
    "INSERT INTO evidence (guild_id, case_id, name, size_bytes) VALUES ($1, $2, 'b.png', 1)",
    guild.id,
    withFile.id,
  );
  await query(
    `INSERT INTO case_messages (guild_id, case_id, channel_id, message_id, author_id) VALUES ($1, $2, $3, $3, $3)`,
    guild.id,
    withMessage.id,
    person,
  );
  await query(
    "INSERT INTO ticket_notes (guild_id, ticket_id, text, written_by) VALUES ($1, $2, 'New', $3)",
    guild.id,
    noted.id,
    guild.moderatorId,
  );
  await query("UPDATE tickets SET status = 'open', closed_at = NULL WHERE id = $1", reopened.id);
  expect(await undoImport(web, owner, guild.id, id)).toEqual({ removed: 2, kept: 4 });
  expect((await casesOf()).map(({ id: kept }) => kept)).toEqual([withFile.id, withMessage.id]);
  const tickets = await query('SELECT id FROM tickets WHERE guild_id = $1 ORDER BY number', guild.id);
  expect(tickets.map(({ id: kept }) => kept)).toEqual([noted.id, reopened.id]);
});

test.each([
  [
    'lifted in Bailiff',
    "UPDATE cases SET ended_at = now(), ended_by = $2, end_action_id = 'act_lift' WHERE id = $1",
  ],
  [
    'lifted in Discord itself',
    `WITH ended AS (UPDATE cases SET ended_at = now(), ended_by = $2 WHERE id = $1 RETURNING guild_id, id)
     INSERT INTO discord_log_entries (guild_id, entry_id, case_id) SELECT guild_id, '1', id FROM ended`,
  ],
  [
    'appealed',
    `INSERT INTO appeals (guild_id, case_id, user_id, language, answers)
     SELECT guild_id, id, $2, 'en', '[]' FROM cases WHERE id = $1`,
  ],
])('an undo keeps a case that somebody has %s since', async (_what, change) => {
  verifies('imports.undo');
  const id = await begin();
  await importRows(web, owner, guild.id, id, [caseRow('1'), caseRow('2')]);
  const [, changed] = await casesOf();
  await query(change, changed.id, guild.moderatorId);
  expect(await undoImport(web, owner, guild.id, id)).toEqual({ removed: 1, kept: 1 });
  expect((await casesOf()).map(({ reason }) => reason)).toEqual(['Case 2']);
});

test.each([
  ['each in the order of its own file', 'case'],
  ['each the one in a case and the other in a note', 'note'],
] as const)('two guilds import the same people at once, %s', async (_how, second) => {
  const other = await seedGuild(database.database);
  const people = [snowflake(), snowflake()].sort();
  const [former = '', latter = ''] = people;
  // Names that are to be asked for anew, each known in the guild whose file begins with its person.
  await query(
    `INSERT INTO known_names (user_id, username, display_name, guild_ids, learned_at)
     SELECT user_id, 'x', 'x', ARRAY[guild_id], now() - interval '31 days'
     FROM unnest($1::text[], $2::text[]) AS known (user_id, guild_id)`,
    people,
    [guild.id, other.id],
  );
  await query("SELECT graphile_worker.add_job('learn_names', job_key => 'learn_names')");
  const otherOwner = await signedIn(database.database, other.ownerId);
  const [id, otherId] = [await begin(), (await beginImport(web, otherOwner, other.id, FILE)).id];
  const holder = await database.database.pool.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT FROM known_names WHERE user_id = ANY ($1) FOR UPDATE', [people]);
  const rowOf = { case: caseRow, note: noteRow };
  const rowsOf = (one: string, two: string) => [
    caseRow(one, { user_id: one }),
    rowOf[second](two, { user_id: two }),
  ];
  const brought = Promise.all([
    importRows(web, owner, guild.id, id, rowsOf(former, latter)),
    importRows(web, otherOwner, other.id, otherId, rowsOf(latter, former)),
  ]);
  brought.catch(() => {});
  const waiting =
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  await expect.poll(() => query(waiting), { timeout: 120_000 }).toHaveLength(2);
  await holder.query('COMMIT');
  holder.release();
  const fates = [
    { fate: 'new', case_number: 1 },
    { fate: 'new', case_number: second === 'case' ? 2 : null },
  ];
  expect(await brought).toEqual([fates, fates]);
  const [first] = await query('SELECT user_id FROM cases WHERE guild_id = $1 AND case_number = 1', other.id);
  expect(first).toEqual({ user_id: latter });
});

test('an undo waits for nobody who is changing a case, and keeps it once it was changed', async () => {
  verifies('imports.undo');
  const id = await begin();
  await importRows(web, owner, guild.id, id, [caseRow('1'), caseRow('2')]);
  const [, { id: caseId }] = await casesOf();
  await query("UPDATE imports SET begun_at = begun_at - interval '2 seconds' WHERE id = $1", id);
  const editing = await database.database.pool.connect();
  try {
    await editing.query('BEGIN');
    await editing.query('SELECT FROM cases WHERE id = $1 FOR UPDATE', [caseId]);
    await editing.query(
      `INSERT INTO case_changes (guild_id, case_id, action_id, changed_by, before, after)
       VALUES ($1, $2, 'act_1', $3, '{}', '{}')`,
      [guild.id, caseId, guild.moderatorId],
    );
    expect(await undoImport(web, owner, guild.id, id)).toEqual({ removed: 1, kept: null });
    await editing.query('COMMIT');
  } finally {
    editing.release(true);
  }
  expect(await undoImport(web, owner, guild.id, id)).toEqual({ removed: 0, kept: 1 });
  expect((await casesOf()).map(({ reason }) => reason)).toEqual(['Case 2']);
});

test('an undo keeps what an action under way is about to change', async () => {
  verifies('imports.undo');
  const other = snowflake();
  const ticket = (name: string) => ({
    ...{ type: 'ticket', id: name, subject: name, opened_by: person },
    ...{ opened_at: AT, closed_at: AT },
  });
  const id = await begin();
  await importRows(web, owner, guild.id, id, [
    caseRow('gets another end'),
    caseRow('of another kind', { kind: 'mute' }),
    caseRow('was lifted in vain', { user_id: other }),
    ticket('is opened again'),
    ticket('stays closed'),
  ]);
  const tickets = () =>
    query('SELECT id, subject FROM tickets WHERE guild_id = $1 ORDER BY number', guild.id);
  const [reopened, closed] = await tickets();
  for (const [operation, targetType, targetId, state] of [
    ['bans.change', 'user', person, 'running'],
    ['bans.lift', 'user', other, 'failed'],
    ['tickets.reopen', 'ticket', reopened.id, 'unknown'],
    ['tickets.reopen', 'ticket', closed.id, 'failed'],
  ]) {
    await query(
      `INSERT INTO actions (guild_id, operation, input, digest, target_type, target_id, state, actor_source,
         actor_user_id, request_id, claim_by)
       VALUES ($1, $2, '{}', '', $3, $4, $5, 'chat', $6, 'req_1', now())`,
      ...[guild.id, operation, targetType, targetId, state, guild.moderatorId],
    );
  }
  expect(await undoImport(web, owner, guild.id, id)).toEqual({ removed: 3, kept: 2 });
  expect((await casesOf()).map(({ reason }) => reason)).toEqual(['Case gets another end']);
  expect((await tickets()).map(({ subject }) => subject)).toEqual(['is opened again']);
});

test('an undo keeps a ticket that somebody has opened and closed again since', async () => {
  verifies('imports.undo');
  const ticket = {
    ...{ type: 'ticket', id: 'again', subject: 'Again', opened_by: person },
    ...{ opened_at: AT, closed_at: AT },
  };
  const id = await begin();
  await importRows(web, owner, guild.id, id, [ticket]);
  await query("UPDATE tickets SET reopened_at = now() - interval '1 minute' WHERE guild_id = $1", guild.id);
  expect(await undoImport(web, owner, guild.id, id)).toEqual({ removed: 0, kept: 1 });
  expect(await query('SELECT FROM tickets WHERE guild_id = $1', guild.id)).toHaveLength(1);
});

test('an undo keeps both of two cases that somebody has linked since', async () => {
  verifies('imports.undo');
  const id = await begin();
  await importRows(web, owner, guild.id, id, [caseRow('1'), caseRow('2'), caseRow('3')]);
  await query(
    `INSERT INTO case_links (guild_id, case_id, other_id, linked_by)
     SELECT guild_id, min(id), max(id), $2 FROM cases WHERE guild_id = $1 AND case_number < 3 GROUP BY guild_id`,
    guild.id,
    guild.moderatorId,
  );
  expect(await undoImport(web, owner, guild.id, id)).toEqual({ removed: 1, kept: 2 });
  expect((await casesOf()).map(({ reason }) => reason)).toEqual(['Case 1', 'Case 2']);
});

test('only a session that began within the last hour brings rows, has bans read, or undoes', async () => {
  verifies('session.fresh');
  const importId = await begin();
  await importRows(web, owner, guild.id, importId, [caseRow('1')]);
  const proof = { guild_id: guild.id, import_id: importId, session_proof: owner.sessionProof };
  const askBans = () => web.pool.query("SELECT ask_bans($1, 'x')", [{ ...proof, after: '0' }]);
  const age = (interval: string) =>
    query(
      'UPDATE sessions SET signed_in_at = now() - $2::interval WHERE user_id = $1',
      guild.ownerId,
      interval,
    );
  await age('61 minutes');
  const refused = { code: 'UNAUTHORIZED', details: { reason: 'SIGN_IN_AGAIN' } };
  await expect(importRows(web, owner, guild.id, importId, [caseRow('2')])).rejects.toMatchObject(refused);
  await expect(undoImport(web, owner, guild.id, importId)).rejects.toMatchObject(refused);
  await expect(askBans()).rejects.toMatchObject({ code: 'BF006' });
  expect((await casesOf()).map(({ reason }) => reason)).toEqual(['Case 1']);
  await age('1 minute');
  expect(await undoImport(web, owner, guild.id, importId)).toEqual({ removed: 1, kept: 0 });
});

test('bans are read only into an import of those at Discord', async () => {
  const proof = { guild_id: guild.id, import_id: await begin(), session_proof: owner.sessionProof };
  await expect(web.pool.query("SELECT ask_bans($1, 'x')", [proof])).rejects.toThrow(
    'This import brings a file.',
  );
});

test('nobody goes on with an import of a guild that the bot has left', async () => {
  const proof = { guild_id: guild.id, import_id: await begin(), session_proof: owner.sessionProof };
  await query('UPDATE guilds SET left_at = now() WHERE id = $1', guild.id);
  await expect(web.pool.query("SELECT ask_bans($1, 'x')", [proof])).rejects.toThrow(
    'Only the owner of a guild',
  );
});

test('a guild has a hundred imports that were not undone, and no more', async () => {
  verifies('imports.rows');
  await query(
    `INSERT INTO imports (guild_id, source, file_name, file_size, begun_by, finished_at)
     SELECT $1, 'csv', 'old ' || n, 1, $2, now() FROM generate_series(1, 99) AS n`,
    guild.id,
    guild.ownerId,
  );
  await begin();
  const next = () => beginImport(web, owner, guild.id, { ...FILE, fileName: 'next.json' });
  await expect(next()).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  await query("UPDATE imports SET undone_at = now() WHERE guild_id = $1 AND file_name = 'old 1'", guild.id);
  await next();
});

test('an import that can be undone is listed, however many were begun and undone since', async () => {
  verifies('imports.rows');
  const id = await begin();
  await query(
    `INSERT INTO imports (guild_id, source, file_name, file_size, begun_by, undone_at)
     SELECT $1, 'csv', 'undone ' || n, 1, $2, now() FROM generate_series(1, 100) AS n`,
    guild.id,
    guild.ownerId,
  );
  const listed = await listImports(web, guild.id);
  expect(listed).toHaveLength(100);
  expect(listed.at(-1)).toMatchObject({ id, undone_at: null });
});
