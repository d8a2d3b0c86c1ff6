import {
  type AuditRow,
  type Call,
  type Capability,
  type InputOf,
  type OutputOf,
  REST_OPERATION_NAMES,
  type ReadOperation,
  type Server,
  type Strike,
} from '@bailiff/core';
import {
  ActorSource,
  type Columns,
  type Parameters,
  type RowOf,
  StrikeSeverity,
  sql,
  TargetNoticeState,
  TicketStatus,
} from '@bailiff/prisma';
import type { z } from 'zod';
import { APPEALS, readAppeal } from '#src/appeals/read-appeals.ts';
import { AUDIT_COLUMNS, AUDIT_RECORD, holds, holdsEnum, REPEATS, withRepeats } from '#src/audit/audit-log.ts';
import { readModerators } from '#src/audit/moderator-statistics.ts';
import { readCases, readOwnCases } from '#src/cases/case-pages.ts';
import { partsOf, searchCases } from '#src/cases/case-search.ts';
import {
  banWire,
  CASE,
  CASE_COLUMNS,
  type CaseKind,
  type CaseRow,
  muteWire,
  readableKinds,
  SANCTION,
  SANCTION_COLUMNS,
  type SanctionRow,
  STRIKE,
  STRIKE_COLUMNS,
  strikeWire,
} from '#src/cases/cases.ts';
import { readNotes } from '#src/cases/notes.ts';
import { readPeople } from '#src/cases/people-lists.ts';
import { readRules } from '#src/cases/rules.ts';
import { readWholeCase } from '#src/cases/whole-case.ts';
import type { Asking, HeardMember } from '#src/guilds/ask-member.ts';
import { GIVEN_ROLES, LOCKS, SLOWMODES } from '#src/guilds/measure-lists.ts';
import { readMemberEvents } from '#src/guilds/member-events.ts';
import { REPORTS, readReport } from '#src/reports/reports.ts';
import { readIdentities } from '#src/servers/identities.ts';
import { readPlayers } from '#src/servers/online-players.ts';
import { readTicketNotes } from '#src/tickets/ticket-notes.ts';
import { readTicketStatistics } from '#src/tickets/ticket-statistics.ts';
import { TICKET, TICKET_COLUMNS, type TicketRow, ticketWire } from '#src/tickets/tickets.ts';
import { absent } from './absent.ts';
import { ACTION, actionFrom, actionWire } from './actions.ts';
import type { AdmittedToken, Balances } from './admission.ts';
import { capabilityDenied } from './authorize.ts';
import { type Filter, type List, readPage } from './paging.ts';
import { readApproval } from './read-approval.ts';
import { readArchive } from './read-archive.ts';
import { readMember } from './read-member.ts';
import { readMe, readSelf } from './self-readers.ts';

/**
 * A read: one statement, sent together with the statement that charges it, and a function that turns its rows into the
 * answer.
 *
 * Every row of the statement starts with the column `found`, which is never null. A last row that is not found shows
 * how far the read has looked.
 */
export interface Read<C extends Columns, Body extends object> {
  readonly parameters: Parameters;
  readonly columns: C;
  readonly text: string;
  readonly values: readonly unknown[];
  /** Whether no rows are an answer, as for a list. Otherwise they mean NOT_FOUND. */
  readonly mayBeEmpty: boolean;
  /**
   * Whether it looks at few rows through one index, whatever the guild has. Quick reads of many guilds go together; the
   * others take turns (decisions: Reads together).
   */
  readonly isQuick: boolean;
  /** False where the best plan depends on the values. */
  readonly isPrepared?: false;
  /** The person about whom Discord is asked, and whether the rows leave open if they are a member. */
  readonly member?: { readonly userId: string; readonly isOpen: (rows: RowOf<C>[]) => boolean };
  /** What has to happen before somebody in chat reads. Their capability is checked first. */
  readonly before?: (engine: Asking) => Promise<void>;
  /** @throws ApiError NOT_FOUND */
  readonly answer: (rows: RowOf<C>[], asked: Asked<C>) => Body;
}

/** What an answer depends on besides its rows. */
export interface Asked<C extends Columns> {
  /** Who reads. */
  readonly readerId: string;
  readonly charged: Balances;
  /** The last row that the read looked at, if it stopped before it had found enough. */
  readonly lookedTo?: RowOf<C> | undefined;
  /** What Discord says of the person of the read; undefined if it was not asked, or nobody could say. */
  readonly heard?: HeardMember | undefined;
}

/** The reader and their current capabilities. */
export interface Reader {
  readonly userId: string;
  readonly capabilities: readonly Capability[];
}

/** The reads about a token itself. People make all others too. */
type TokenRead = 'me' | 'approvals.get';
export type PersonRead = Exclude<ReadOperation, TokenRead>;

/** The kind of reader that each read needs. */
type ReaderOf = { readonly [N in PersonRead]: Reader } & {
  readonly [N in TokenRead]: Reader & AdmittedToken;
};

type DescribeRead<N extends ReadOperation> = (
  guildId: string,
  input: InputOf<N>,
  reader: ReaderOf[N],
  // biome-ignore lint/suspicious/noExplicitAny: each read has rows of its own, which only its `answer` sees
) => Read<any, OutputOf<N>>;

const NOTICE = { notice: sql.oneOf({ TargetNoticeState }).orNull };
const READ_ACTION = { ...ACTION, ...NOTICE };

/** The reader of each operation. */
export const readers: { readonly [N in ReadOperation]: DescribeRead<N> } = {
  me: (_guildId, _input, token) => readMe(token),
  'approvals.get': (guildId, { approvalId }, { id }) => readApproval(guildId, id, approvalId),

  'strikes.list': (guildId, input) => readPage(STRIKES, guildId, input),
  'strikes.get': (guildId, { strikeId }) => latestCase(guildId, 'strike', 'id', strikeId, strikeWire),
  'bans.list': (guildId, input) => readPage(BANS, guildId, input),
  'bans.get': (guildId, { userId }) => latestCase(guildId, 'ban', 'user_id', userId, banWire),
  'mutes.list': (guildId, input) => readPage(MUTES, guildId, input),

  'tickets.list': (guildId, input) => readPage(TICKETS, guildId, input),
  'tickets.get': (guildId, { ticketId }) => ({
    parameters: [sql.text, sql.text],
    columns: TICKET,
    text: `SELECT true AS found, ${TICKET_COLUMNS} FROM tickets WHERE guild_id = $1 AND id = $2`,
    values: [guildId, ticketId],
    mayBeEmpty: false,
    isQuick: true,
    answer: ([row]: TicketRow[]) => ticketWire(row ?? absent('ticket', ticketId)),
  }),
  'tickets.notes': (guildId, { ticketId }) => readTicketNotes(guildId, ticketId),
  'tickets.stats': (guildId, input) => readTicketStatistics(guildId, input),
  'appeals.list': (guildId, input) => readPage(APPEALS, guildId, input),
  'appeals.get': (guildId, { appealId }) => readAppeal(guildId, appealId),
  'reports.list': (guildId, input) => readPage(REPORTS, guildId, input),
  'reports.get': (guildId, { reportId }) => readReport(guildId, reportId),
  'channels.locks': (guildId, input) => readPage(LOCKS, guildId, input),
  'channels.slowmodes': (guildId, input) => readPage(SLOWMODES, guildId, input),
  'roles.list': (guildId, input) => readPage(GIVEN_ROLES, guildId, input),
  'servers.list': (guildId, input) => readPage(SERVERS, guildId, input),
  'servers.players': (guildId, input, reader) => readPlayers(guildId, input, reader),
  'messages.archive': (guildId, input) => readArchive(guildId, input),
  'members.get': (guildId, { userId }) => readMember(guildId, userId),
  'members.events': (guildId, { userId }) => readMemberEvents(guildId, userId),
  'members.self': (guildId, _input, reader) => readSelf(guildId, reader),
  'cases.get': (guildId, input, { capabilities }) => readWholeCase(guildId, input, capabilities),
  'cases.list': (guildId, input, { capabilities }) =>
    readCases(guildId, input, requireReadableKinds(capabilities)),
  'cases.search': (guildId, input, { capabilities }) =>
    searchCases(guildId, input, requireReadableKinds(capabilities)),
  'cases.own': (guildId, input, { userId }) => readOwnCases(guildId, userId, input),
  'notes.list': (guildId, input) => readNotes(guildId, input),
  'identities.list': readIdentities,
  'rules.get': (guildId) => readRules(guildId),
  'audit.list': (guildId, input) => readPage(AUDIT_LIST, guildId, input),
  'audit.moderators': (guildId, input) => readModerators(guildId, input),
  'actions.people': (guildId, input) => readPeople(guildId, input),
  'actions.get': (guildId, { actionId }) => ({
    parameters: [sql.text, sql.text, sql.arrayOf(sql.text)],
    columns: READ_ACTION,
    // What only people do is no token's business: a note, for example, is for moderators only.
    text: `SELECT true AS found, ${sql.names(ACTION)},
             (SELECT n.state FROM target_notices n WHERE n.action_id = actions.id) AS notice
           FROM actions
           WHERE guild_id = $1 AND id = $2 AND operation = ANY ($3)
             AND NOT (operation = 'actions.stop' AND EXISTS (SELECT FROM actions stopped
               WHERE stopped.guild_id = $1 AND stopped.id = actions.target_id AND stopped.operation <> ALL ($3)))`,
    values: [guildId, actionId, REST_OPERATION_NAMES],
    mayBeEmpty: false,
    isQuick: true,
    answer: ([row = absent('action', actionId)]: RowOf<typeof READ_ACTION>[]) => ({
      action: actionWire(actionFrom(row), row.notice),
    }),
  }),
};

/** The read of a call, from the reader of its operation. */
export function readOf<N extends ReadOperation>(
  { operation, input }: Call<N>,
  guildId: string,
  reader: ReaderOf[N],
): ReturnType<DescribeRead<N>> {
  return readers[operation](guildId, input, reader);
}

const active = (kind: CaseKind): Filter => ({
  column: 'active',
  type: sql.bool,
  parts: (wanted: boolean) => partsOf(kind, wanted ? 'in_force' : 'ended'),
});

const STRIKES: List<typeof STRIKE, z.output<typeof Strike>> = {
  name: 'strikes.list',
  from: 'cases',
  columns: STRIKE,
  select: STRIKE_COLUMNS,
  part: "kind = 'strike'",
  filters: {
    user_id: { column: 'user_id', type: sql.text },
    severity: { column: 'severity', type: sql.oneOf({ StrikeSeverity }) },
    active: active('strike'),
  },
  wire: strikeWire,
};

function sanctionList<Item>(
  kind: 'ban' | 'mute',
  wire: (row: SanctionRow) => Item,
): List<typeof SANCTION, Item> {
  return {
    name: `${kind}s.list`,
    from: 'cases',
    columns: SANCTION,
    select: SANCTION_COLUMNS,
    part: `kind = '${kind}'`,
    filters: { active: active(kind) },
    wire,
  };
}

const BANS = sanctionList('ban', banWire);
const MUTES = sanctionList('mute', muteWire);

const TICKETS: List<typeof TICKET, OutputOf<'tickets.get'>> = {
  name: 'tickets.list',
  from: 'tickets',
  columns: TICKET,
  filters: { status: { column: 'status', type: sql.oneOf({ TicketStatus }) } },
  wire: ticketWire,
};

const SERVER = {
  id: sql.text,
  name: sql.text,
  host: sql.text,
  port: sql.int,
  reachable: sql.bool.orNull,
  checked_at: sql.timestamptz.orNull,
};

const SERVERS: List<typeof SERVER, z.output<typeof Server>> = {
  name: 'servers.list',
  from: 'game_servers',
  columns: SERVER,
  filters: {},
  wire: (row) => ({ ...row, checked_at: row.checked_at?.toISOString() ?? null }),
};

const AUDIT = { ...AUDIT_RECORD, ...REPEATS, owner_id: sql.text };

/** The audit log. Addresses of people are for the guild's owner. */
const AUDIT_LIST: List<typeof AUDIT, z.output<typeof AuditRow>> = {
  name: 'audit.list',
  from: withRepeats('audit', 'audit'),
  columns: AUDIT,
  select: `${AUDIT_COLUMNS}, count, last_at, (SELECT owner_id FROM guilds WHERE guilds.id = audit.guild_id) AS owner_id`,
  byTime: true,
  filters: {
    target: { column: 'target_id', type: sql.text },
    action: {
      column: 'operation',
      type: sql.text,
      parts: (action: string, place) => [holds('operation', action, place())],
    },
    actor_source: {
      column: 'actor_source',
      type: sql.oneOf({ ActorSource }),
      parts: (source: ActorSource) => [holdsEnum('actor_source', source)],
    },
  },
  periods: { since: 'at >= ?', until: 'at < ?' },
  wire: ({ at, last_at, operation, owner_id, address, ...row }, readerId) => ({
    ...row,
    last_at: last_at.toISOString(),
    address: readerId === owner_id ? address : null,
    at: at.toISOString(),
    action: operation,
  }),
};

const NOTIFIED_CASE = { ...CASE, ...NOTICE };

function latestCase<Body extends object>(
  guildId: string,
  kind: 'strike' | 'ban',
  column: 'id' | 'user_id',
  value: string,
  wire: (row: CaseRow) => Body,
): Read<typeof NOTIFIED_CASE, Body & RowOf<typeof NOTICE>> {
  return {
    parameters: [sql.text, sql.text],
    columns: NOTIFIED_CASE,
    text: `SELECT true AS found, ${CASE_COLUMNS},
             (SELECT n.state FROM target_notices n WHERE n.action_id = cases.action_id) AS notice
           FROM cases WHERE guild_id = $1 AND kind = '${kind}' AND ${column} = $2
           ORDER BY id DESC LIMIT 1`,
    values: [guildId, value],
    mayBeEmpty: false,
    isQuick: true,
    answer: ([row = absent(kind, value)]) => ({ ...wire(row), notice: row.notice }),
  };
}

/** The kinds of case that a reader may read. @throws ApiError CAPABILITY_DENIED if there are none. */
function requireReadableKinds(capabilities: readonly Capability[]): CaseKind[] {
  const kinds = readableKinds(capabilities);
  if (kinds.length === 0) throw capabilityDenied('strikes.read', 'You may not read cases');
  return kinds;
}
