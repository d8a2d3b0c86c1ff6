import { verifies } from '@bailiff/core/testing';
import { type Database, openDatabase } from '@bailiff/prisma';
import { createTestDatabase, LONG_LIMITS, type TestDatabase } from '@bailiff/prisma/testing';
import type { PoolClient } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { DashboardCall } from '#src/calls/dashboard-call.ts';
import { forgetPerson } from '#src/guilds/forget.ts';
import { beginImport, importRows, undoImport } from '#src/imports/imports.ts';
import { type SeededGuild, seedGuild, signedIn, snowflake } from '#src/testing.ts';

let database: TestDatabase;
let web: Database;
let guild: SeededGuild;
let owner: DashboardCall;
let person: string;
let holder: PoolClient;

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
  holder = await database.database.pool.connect();
  await holder.query('BEGIN');
});
afterEach(() => holder.release(true));

const query = async (text: string, ...values: unknown[]) =>
  (await database.database.pool.query(text, values)).rows;
const forget = () => forgetPerson(database.database, person, { rehearse: false });

const AT = '2021-03-04T05:06:07.000Z';
const caseRow = (id: string, more: object = {}) => ({
  ...{ type: 'case', id, kind: 'ban', user_id: person, issued_by: guild.moderatorId, issued_at: AT },
  ...more,
});

async function bring(rows: readonly object[]) {
  // Each of a file of its own: the same one would go on with the import before.
  const file = { source: 'bailiff', fileName: snowflake(), fileSize: 1_000 } as const;
  const { id } = await beginImport(web, owner, guild.id, file);
  return { id, fates: (await importRows(web, owner, guild.id, id, rows)).map(({ fate }) => fate) };
}

/** Begins something that then waits for a lock, as so many others do. */
async function waiting<T>(
  begin: () => Promise<T>,
  waiters: number,
): Promise<{ readonly result: Promise<T> }> {
  const result = begin();
  result.catch(() => {});
  const waits = `SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  await expect.poll(() => query(waits), { timeout: 120_000 }).toHaveLength(waiters);
  return { result };
}

test('an import of others goes on while somebody with a record in its guild is forgotten', async () => {
  verifies('ops.forget');
  await bring([caseRow('first')]);
  // The forgetting waits here, with all that it locks at its beginning.
  await holder.query('LOCK TABLE budgets IN SHARE MODE');
  const { result: forgotten } = await waiting(forget, 1);
  expect((await bring([caseRow('second', { user_id: snowflake() })])).fates).toEqual(['new']);
  await holder.query('COMMIT');
  await forgotten;
  expect(await query('SELECT FROM cases WHERE user_id = $1', person)).toEqual([]);
});

const END = { type: 'end', id: 'over', kind: 'ban', ended_at: '2021-05-01T00:00:00Z' };
const PART = {
  ...{ type: 'messages', ticket_id: 'tkt_a', part: 1 },
  messages: [
    {
      ...{ id: '900000000000000001', author_id: '900000000000000002', author_name: 'fox' },
      ...{ sent_at: AT, text: 'Hi', attachments: [] },
    },
  ],
};
test.each([
  ['ends an older case of theirs', () => [caseRow('new'), { ...END, user_id: person }], ['new', 'new']],
  [
    'links an older case of theirs',
    () => [caseRow('new', { links: [{ id: 'first', by: guild.moderatorId, at: AT }] })],
    ['new'],
  ],
  // Their ticket is known no more by then.
  ['adds to an older ticket of theirs', () => [caseRow('new'), PART], ['new', 'refused']],
])('a person is forgotten, and an import %s, without waiting in a circle', async (_what, rows, fates) => {
  verifies('ops.forget');
  await bring([
    caseRow('first'),
    { type: 'ticket', id: 'tkt_a', subject: 'Help', opened_by: person, opened_at: AT, closed_at: AT },
  ]);
  await query(
    "INSERT INTO reports (guild_id, number, user_id, reported_by, reason) VALUES ($1, 1, $2, $3, 'Spam')",
    ...[guild.id, person, snowflake()],
  );
  await holder.query('SELECT FROM reports WHERE user_id = $1 FOR UPDATE', [person]);
  const { result: forgotten } = await waiting(forget, 1);
  const { result: brought } = await waiting(() => bring(rows()), 2);
  await holder.query('COMMIT');
  await forgotten;
  expect((await brought).fates).toEqual(fates);
});

test.each([
  ['is removed by hand', () => query('DELETE FROM identities WHERE user_id = $1', person)],
  ['is forgotten with its person', forget],
])(
  'an import is undone, and an identity that it brought %s, without waiting in a circle',
  async (_how, remove) => {
    verifies('imports.undo');
    const { id } = await bring([
      { type: 'note', id: '1', user_id: snowflake(), text: 'x', written_at: AT },
      { type: 'identity', user_id: person, platform: 'steam', in_game_id: '76561197960265729', set_at: AT },
    ]);
    // The undo waits here. It has taken the rows that say what it removes.
    await holder.query('SELECT FROM notes WHERE guild_id = $1 FOR UPDATE', [guild.id]);
    const { result: undone } = await waiting(() => undoImport(web, owner, guild.id, id), 1);
    const { result: removed } = await waiting<unknown>(remove, 2);
    await holder.query('COMMIT');
    expect(await undone).toMatchObject({ removed: 2 });
    await removed;
    expect(await query('SELECT FROM identities WHERE guild_id = $1', guild.id)).toEqual([]);
  },
);
