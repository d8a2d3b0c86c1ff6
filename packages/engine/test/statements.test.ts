import { join } from 'node:path';
import { CAPABILITIES } from '@bailiff/core';
import type { Columns } from '@bailiff/prisma';
import {
  checkStatements,
  createTestDatabase,
  declaredFamilies,
  plainQueries,
  sourcesIn,
  type TestDatabase,
} from '@bailiff/prisma/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listAppeals } from '#src/appeals/appeal-list.ts';
import { type AuditFilter, listAuditLog } from '#src/audit/audit-log.ts';
import type { AdmittedToken } from '#src/calls/admission.ts';
import { readBatch } from '#src/calls/read-batch.ts';
import { chargedRead, plainRead, recordedRead } from '#src/calls/read-call.ts';
import { type Read, type Reader, readers } from '#src/calls/readers.ts';
import { listCases } from '#src/cases/case-list.ts';
import { CASE_STANDINGS, type CaseFilters } from '#src/cases/case-search.ts';
import { searchPeople } from '#src/guilds/people-search.ts';
import { listReports } from '#src/reports/report-list.ts';
import { listRuns } from '#src/servers/server-console.ts';
import { listTickets, type TicketFilters } from '#src/tickets/ticket-list.ts';

const SOURCES = join(import.meta.dirname, '../src');

let testDatabase: TestDatabase;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  for (const path of sourcesIn(SOURCES)) await import(path);
});

afterAll(() => testDatabase.drop());

const viewer = { id: '1', userId: '1', isOwner: true, capabilities: CAPABILITIES };

const MOMENT = new Date(0);
const EVERY_AUDIT_FILTER: AuditFilter = {
  source: 'chat',
  outcome: 'failed',
  operation: 'bans.add',
  actorId: '1',
  tokenId: '1',
  targetId: '1',
  requestId: '1',
  actionId: '1',
  from: MOMENT,
  to: MOMENT,
  anyOf: { operations: ['bans.add'], ids: ['1'] },
};
const EVERY_CASE_FILTER: CaseFilters = { userId: '1', issuedBy: '1', from: MOMENT, until: MOMENT };
const EVERY_TICKET_FILTER: TicketFilters = { status: 'open', openedBy: '1', claimedBy: '1', subject: 'a' };

/** Each read, with each of its filters alone and with all of them. */
function eachRead(): Read<Columns, object>[] {
  const lists = {
    limit: 1,
    user_id: '1',
    number: 1,
    strikeId: '1',
    userId: '1',
    ticketId: '1',
    actionId: '1',
  };
  const filters = {
    severity: 'minor',
    active: true,
    status: 'open',
    actor_source: 'chat',
    action: 'bans.add',
    target: '1',
    since: MOMENT,
    until: MOMENT,
  };
  const inputs = [{}, filters, ...Object.entries(filters).map(([name, value]) => ({ [name]: value }))];
  const token = {
    id: '1',
    userId: '1',
    issuerId: '1',
    guild: { id: '1' },
    capabilities: CAPABILITIES,
  } as unknown as AdmittedToken & Reader;
  return Object.values(readers).flatMap((describe) =>
    inputs.map((input) => describe('1', { ...lists, ...input } as never, token)),
  );
}

/** Batches hold the value of each call in arrays, which cannot hold lists. */
function isSentTogether({ isQuick, parameters }: Read<Columns, object>): boolean {
  return isQuick && parameters.every(({ name }) => !name.endsWith('[]'));
}

/** Uses each text that is put together at run time, so that it is declared. */
async function useFamilies(): Promise<void> {
  const { database: db } = testDatabase;
  for (const read of eachRead()) {
    chargedRead(read);
    if (isSentTogether(read)) readBatch(read);
    recordedRead(read);
    plainRead(read);
  }
  await searchPeople(db, viewer, '');
  for (const beside of [{}, { before: '1' }, { after: '1' }]) {
    await listRuns(db, viewer, '1', { limit: 1, ...beside });
  }
  for (const filters of [{}, EVERY_TICKET_FILTER]) {
    for (const beside of [{}, { before: 1 }, { after: 1 }]) {
      await listTickets(db, viewer, filters, { limit: 1, ...beside });
    }
  }
  for (const state of [undefined, 'sent'] as const) {
    for (const beside of [{}, { before: 'apl' }, { after: 'apl' }]) {
      await listAppeals(db, viewer, state, { limit: 1, ...beside });
    }
  }
  for (const status of [undefined, 'open'] as const) {
    for (const beside of [{}, { before: 1 }, { after: 1 }]) {
      await listReports(db, viewer, status, { limit: 1, ...beside });
    }
  }
  for (const filter of [{}, EVERY_AUDIT_FILTER]) {
    for (const beside of [{}, { before: '1' }, { after: '1' }]) {
      await listAuditLog(db, '1', { reads: false, limit: 1, filter, ...beside });
      await listAuditLog(db, '1', { reads: false, onePerCall: true, limit: 1, filter, ...beside });
    }
  }
  for (const filters of [{}, ...CASE_STANDINGS.map((standing) => ({ ...EVERY_CASE_FILTER, standing }))]) {
    for (const beside of [{}, { before: 1 }, { after: 1 }]) {
      await listCases(db, viewer, filters, { limit: 1, ...beside });
      await listCases(db, viewer, { ...filters, words: 'some words' }, { limit: 1, ...beside });
    }
  }
}

test('every query is a statement of `sql` or Prisma Client’s', () => {
  expect(plainQueries(SOURCES)).toEqual([
    'database/send-together.ts',
    'database/transaction.ts',
    'guilds/shard-holders.ts',
    'testing-crowd.ts',
    'testing.ts',
  ]);
});

test('every statement has the parameters and columns that it declares', async () => {
  await useFamilies();
  expect(declaredFamilies().filter(({ statements }) => statements.length === 0)).toEqual([]);
  expect(await checkStatements(testDatabase.url)).toEqual([]);
});
