// Every list with each of its filters, for tests of plans and for the bench.
import { CAPABILITIES, entryOf, type InputOf, isReadOperation, OPERATION_NAMES } from '@bailiff/core';
import type { Database } from '@bailiff/prisma';
import { listAppeals } from './appeals/appeal-list.ts';
import { type AuditFilter, listAuditLog } from './audit/audit-log.ts';
import { readForPage } from './calls/read-call.ts';
import { listCases } from './cases/case-list.ts';
import { CASE_STANDINGS, type CaseFilters } from './cases/case-search.ts';
import { peopleWithCase, personCalled } from './cases/in-force.ts';
import { recentMasses } from './cases/people-lists.ts';
import { FROM_THE_START, peopleOnRecord } from './guilds/people-pages.ts';
import { searchPeople } from './guilds/people-search.ts';
import { CROWD, CROWD_FILTERS, combined } from './testing-crowd.ts';
import { listTickets, type TicketFilters } from './tickets/ticket-list.ts';

/** A page of a list of the crowd's first guild. */
export interface ListOfCrowd {
  /** The list and its filters. */
  readonly what: string;
  readonly run: (db: Database) => Promise<unknown>;
}

export const CROWD_VIEWER = {
  id: CROWD.guildId,
  userId: CROWD.ownerId,
  isOwner: true,
  capabilities: CAPABILITIES,
};

/**
 * The lists of the public API with none, one or two of their filters.
 *
 * @throws Error if {@link CROWD_FILTERS} lacks values for a filter
 */
export function publicLists(): ListOfCrowd[] {
  const lists = OPERATION_NAMES.filter(isReadOperation).filter(
    (name) => 'limit' in entryOf(name).input.shape && name !== 'messages.archive',
  );
  return lists.flatMap((name) => {
    const { limit: _, cursor: _cursor, ...filters } = entryOf(name).input.shape;
    const values = Object.fromEntries(
      Object.keys(filters).map((filter) => {
        const known = CROWD_FILTERS[filter];
        if (known === undefined) throw new Error(`CROWD_FILTERS lacks values for ${filter} of ${name}.`);
        return [filter, known];
      }),
    );
    const isNeeded = (given: object) =>
      Object.entries(filters).every(([filter, type]) => filter in given || type.safeParse(undefined).success);
    return combined(values)
      .filter(isNeeded)
      .map((given) => ({
        what: `${name} ${JSON.stringify(given)}`,
        run: (db) =>
          // Each list has the filters that its own input names.
          readForPage(
            db,
            CROWD_VIEWER,
            name as 'strikes.list',
            {
              ...given,
              limit: 50,
            } as InputOf<'strikes.list'>,
          ),
      }));
  });
}

type ValuesOf<Filters> = { readonly [Name in keyof Filters]: readonly Filters[Name][] };

const TIMES = (CROWD_FILTERS.since ?? []).map((at) => new Date(String(at)));

const OF_AUDIT: ValuesOf<AuditFilter> = {
  source: ['token', 'chat', 'dashboard', 'system', 'operator'],
  outcome: ['performed', 'refused', 'failed', 'unknown', 'cancelled'],
  operation: ['strikes.add', 'roles.grant', 'strikes.list', 'tickets.list', 'no.such'],
  actorId: [CROWD.moderatorId, CROWD.strangerId],
  tokenId: ['tok_none'],
  targetId: [CROWD.personId, CROWD.strangerId],
  requestId: ['req_none'],
  actionId: ['act_none'],
  from: TIMES,
  to: TIMES,
  anyOf: [
    { operations: ['roles.grant'], ids: [] },
    { operations: ['strikes.add'], ids: [CROWD.strangerId] },
  ],
};

const OF_CASES: ValuesOf<CaseFilters> = {
  kind: ['strike', 'ban', 'mute', 'kick', 'warning'],
  standing: CASE_STANDINGS,
  userId: [CROWD.personId, CROWD.notoriousId, CROWD.strangerId],
  issuedBy: [CROWD.moderatorId, CROWD.strangerId],
  from: TIMES,
  until: TIMES,
  words: ['reason', 'zzz'],
};

const OF_TICKETS: ValuesOf<TicketFilters> = {
  status: ['open', 'claimed', 'closed'],
  openedBy: [CROWD.personId, CROWD.strangerId],
  claimedBy: [CROWD.moderatorId],
  subject: ['question', 'zzz'],
};

/** The lists of the dashboard with none, one or two of their filters. */
export function dashboardLists(): ListOfCrowd[] {
  const limit = 50;
  const audit = [false, true].flatMap((reads) =>
    combined(OF_AUDIT).map((filter) => ({
      what: `audit ${reads ? 'with reads ' : ''}${JSON.stringify(filter)}`,
      run: (db: Database) => listAuditLog(db, CROWD.guildId, { reads, filter, limit, onePerCall: true }),
    })),
  );
  const cases = combined(OF_CASES).map((filters) => ({
    what: `cases ${JSON.stringify(filters)}`,
    run: (db: Database) => listCases(db, CROWD_VIEWER, filters, { limit }),
  }));
  const tickets = combined(OF_TICKETS).map((filters) => ({
    what: `tickets ${JSON.stringify(filters)}`,
    run: (db: Database) => listTickets(db, CROWD_VIEWER, filters, { limit }),
  }));
  const people = ['', 'User', 'zzz', CROWD.personId, CROWD.strangerId].map((text) => ({
    what: `people ${text}`,
    run: (db: Database) => searchPeople(db, CROWD_VIEWER, text),
  }));
  const onRecord = [FROM_THE_START, CROWD.personId].map((after) => ({
    what: `people on record after ${after}`,
    run: (db: Database) => peopleOnRecord(db, CROWD_VIEWER, after),
  }));
  const appeals = ([undefined, 'sent', 'refused', 'over'] as const).map((state) => ({
    what: `appeals ${state}`,
    run: (db: Database) => listAppeals(db, CROWD_VIEWER, state, { limit }),
  }));
  const masses = {
    what: 'mass actions',
    run: (db: Database) => recentMasses(db, CROWD.guildId, 'ban'),
  };
  return [...audit, ...cases, ...tickets, ...appeals, ...people, ...onRecord, masses];
}

/** What chat suggests while a command is typed, and how it looks up a name that was typed. */
export function suggestions(): ListOfCrowd[] {
  return (['ban', 'mute'] as const).flatMap((kind) => [
    ...['', 'User', 'zzz', CROWD.personId].map((text) => ({
      what: `people with a ${kind} ${text}`,
      run: (db: Database) => peopleWithCase(db, CROWD.guildId, kind, text),
    })),
    ...['User', 'zzz'].map((name) => ({
      what: `the person with a ${kind} called ${name}`,
      run: (db: Database) => personCalled(db, CROWD.guildId, kind, name),
    })),
  ]);
}
