import { CAPABILITIES } from '@bailiff/core';
import { verifies } from '@bailiff/core/testing';
import { type Database, openDatabase } from '@bailiff/prisma';
import { createTestDatabase, LONG_LIMITS, type TestDatabase } from '@bailiff/prisma/testing';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { countAppeals, listAppeals } from '#src/appeals/appeal-list.ts';
import { listAuditLog } from '#src/audit/audit-log.ts';
import { listCases } from '#src/cases/case-list.ts';
import { activityOf } from '#src/desk/activity.ts';
import { attentionOnPage } from '#src/desk/attention.ts';
import { FROM_THE_START, peopleOnRecord } from '#src/guilds/people-pages.ts';
import { searchPeople } from '#src/guilds/people-search.ts';
import { countReports, listReports } from '#src/reports/report-list.ts';
import { seedGuild } from '#src/testing.ts';
import { countTickets, listTickets } from '#src/tickets/ticket-list.ts';

// Statements that do not come to their end stand for slow ones: another connection has locked their table.

let test: TestDatabase;
let db: Database;

beforeAll(async () => {
  test = await createTestDatabase();
  db = openDatabase(test.database.url, { ...LONG_LIMITS, applicationName: 'pages', max: 6 });
  // Loads Prisma Client, for which no page may wait.
  await db.prisma.guild.count();
});
afterAll(async () => {
  await db?.close();
  await test?.drop();
});

type Viewer = Parameters<typeof listReports>[1];

const start = { limit: 20 };
const PAGES: readonly (readonly [string, string, (viewer: Viewer) => Promise<unknown>])[] = [
  ['tickets', 'tickets', (viewer) => listTickets(db, viewer, { subject: 'zzz' }, start)],
  ['the number of tickets', 'tickets', (viewer) => countTickets(db, viewer)],
  ['appeals', 'appeals', (viewer) => listAppeals(db, viewer, undefined, start)],
  ['the number of appeals', 'appeals', (viewer) => countAppeals(db, viewer)],
  ['the number of reports', 'reports', (viewer) => countReports(db, viewer)],
  ['what needs attention', 'windows', (viewer) => attentionOnPage(db, viewer.id)],
  ['reports', 'reports', (viewer) => listReports(db, viewer, undefined, start)],
  ['cases', 'cases', (viewer) => listCases(db, viewer, { words: 'zzz' }, start)],
  [
    'the audit log',
    'audit_writes',
    (viewer) => listAuditLog(db, viewer.id, { reads: false, filter: { targetId: 'zzz' }, limit: 20 }),
  ],
  ['activity', 'audit_writes', (viewer) => activityOf(db, viewer.id, 30)],
  ['people on record', 'notes', (viewer) => peopleOnRecord(db, viewer, FROM_THE_START)],
  ['people by name', 'known_names', (viewer) => searchPeople(db, viewer, 'zzz')],
];

it.each(PAGES)(
  '%s: a guild that opens a page without end leaves connections for others',
  async (_what, table, open) => {
    verifies('pages.guilds-apart');
    const guild = await seedGuild(db);
    const viewer = { id: guild.id, userId: guild.ownerId, isOwner: true, capabilities: CAPABILITIES };
    const locking = await test.database.pool.connect();
    await locking.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    // The clock stands: nobody waits for a page longer than five seconds.
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const opened = Array.from({ length: 12 }, () => open(viewer).catch((error: unknown) => error));
    const { rows } = await db.pool.query('SELECT 1 AS one');
    expect(rows).toEqual([{ one: 1 }]);
    expect(await db.prisma.guild.count({ where: { id: guild.id } })).toBe(1);
    await locking.query('ROLLBACK');
    locking.release();
    const failed = (await Promise.all(opened)).filter((each) => each instanceof Error);
    expect(failed).toEqual([]);
  },
);
