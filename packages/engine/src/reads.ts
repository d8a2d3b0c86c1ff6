import {
  ApiError,
  type AuditRow,
  entryOf,
  type InputOf,
  type OutputOf,
  type Server,
  type StoreOperation,
  TIERS,
  type Tier,
} from '@bailiff/core';
import type { Database } from '@bailiff/prisma';
import type { z } from 'zod';
import { notFound } from './action-errors.ts';
import { actionWire, getAction } from './actions.ts';
import type { AdmittedToken } from './admission.ts';
import { AUDIT_COLUMNS, type AuditRecord } from './audit-log.ts';
import { banWire, CASE_COLUMNS, type CaseRow, muteWire, strikeWire } from './cases.ts';
import { type List, readPage } from './paging.ts';
import type { StoreWrite } from './store-performers.ts';
import { TICKET_COLUMNS, type TicketRow, ticketWire } from './tickets.ts';

/** Operations that only look. */
export type ReadOperation = Exclude<StoreOperation, StoreWrite>;

type Reader<N extends ReadOperation> = (
  db: Database,
  guildId: string,
  input: InputOf<N>,
  token: AdmittedToken,
) => Promise<OutputOf<N>>;

/** How each read is answered. */
export const readers: { readonly [N in ReadOperation]: Reader<N> } = {
  me: (db, _guildId, _input, token) => readMe(db, token),

  'strikes.list': (db, guildId, input) => readPage(db, STRIKES, guildId, input),
  'strikes.get': async (db, guildId, { strikeId }) => {
    const row = await latestCase(db, guildId, 'strike', 'id', strikeId);
    return strikeWire(row ?? absent('strike', strikeId));
  },
  'bans.list': (db, guildId, input) => readPage(db, BANS, guildId, input),
  'bans.get': async (db, guildId, { userId }) => {
    const row = await latestCase(db, guildId, 'ban', 'user_id', userId);
    return banWire(row ?? absent('ban of user', userId));
  },
  'mutes.list': (db, guildId, input) => readPage(db, MUTES, guildId, input),

  'tickets.list': (db, guildId, input) => readPage(db, TICKETS, guildId, input),
  'tickets.get': async (db, guildId, { ticketId }) => {
    const { rows } = await db.pool.query<TicketRow>({
      name: 'get_ticket',
      text: `SELECT ${TICKET_COLUMNS} FROM tickets WHERE guild_id = $1 AND id = $2`,
      values: [guildId, ticketId],
    });
    return ticketWire(rows[0] ?? absent('ticket', ticketId));
  },
  'servers.list': (db, guildId, input) => readPage(db, SERVERS, guildId, input),
  'members.get': (db, guildId, { userId }) => readMember(db, guildId, userId),
  'audit.list': (db, guildId, input) => readPage(db, AUDIT, guildId, input),
  'actions.get': async (db, guildId, { actionId }) => {
    const action = await getAction(db, guildId, actionId);
    return { action: actionWire(action ?? absent('action', actionId)) };
  },
};

/** @throws ApiError NOT_FOUND: absent, or of another guild, which is the same answer. */
function absent(what: string, id: string): never {
  throw new ApiError('NOT_FOUND', notFound(what, id).message);
}

const IN_FORCE = 'ended_at IS NULL AND (expires_at IS NULL OR expires_at > clock_timestamp())';

function caseList<Item>(name: string, kind: string, wire: (row: CaseRow) => Item): List<CaseRow, Item> {
  return {
    name,
    from: 'cases',
    columns: CASE_COLUMNS,
    part: `kind = '${kind}'`,
    filters: { user_id: 'user_id = ?', severity: 'severity = ?', active: `(${IN_FORCE}) = ?` },
    wire,
  };
}

const STRIKES = caseList('strikes.list', 'strike', strikeWire);
const BANS = caseList('bans.list', 'ban', banWire);
const MUTES = caseList('mutes.list', 'mute', muteWire);

const TICKETS: List<TicketRow, OutputOf<'tickets.get'>> = {
  name: 'tickets.list',
  from: 'tickets',
  columns: TICKET_COLUMNS,
  filters: { status: 'status = ?' },
  wire: ticketWire,
};

interface ServerRow {
  id: string;
  name: string;
  host: string;
  port: number;
  reachable: boolean | null;
  checked_at: Date | null;
}

const SERVERS: List<ServerRow, z.output<typeof Server>> = {
  name: 'servers.list',
  from: 'game_servers',
  columns: 'id, name, host, port, reachable, checked_at',
  filters: {},
  wire: (row) => ({ ...row, checked_at: row.checked_at?.toISOString() ?? null }),
};

const AUDIT: List<AuditRecord, z.output<typeof AuditRow>> = {
  name: 'audit.list',
  from: 'audit',
  columns: AUDIT_COLUMNS,
  filters: {
    actor_source: 'actor_source = ?',
    action: 'operation = ?',
    target: 'target_id = ?',
    since: 'at >= ?',
    until: 'at < ?',
  },
  wire: ({ at, operation, ...row }) => ({ ...row, at: at.toISOString(), action: operation }),
};

async function latestCase(
  db: Database,
  guildId: string,
  kind: 'strike' | 'ban',
  column: 'id' | 'user_id',
  value: string,
): Promise<CaseRow | undefined> {
  const { rows } = await db.pool.query<CaseRow>({
    name: `get_${kind}`,
    text: `SELECT ${CASE_COLUMNS} FROM cases WHERE guild_id = $1 AND kind = '${kind}' AND ${column} = $2
           ORDER BY id DESC LIMIT 1`,
    values: [guildId, value],
  });
  return rows[0];
}

async function readMember(db: Database, guildId: string, userId: string): Promise<OutputOf<'members.get'>> {
  const { rows } = await db.pool.query<{
    username: string | null;
    display_name: string | null;
    role_ids: string[] | null;
    joined_at: Date | null;
    strikes: number;
    bans: number;
    mutes: number;
    tickets: number;
  }>({
    name: 'get_member',
    text: `SELECT m.username, m.display_name, m.role_ids, m.joined_at, c.*,
             (SELECT count(*)::int FROM tickets WHERE guild_id = $1 AND opened_by = $2) AS tickets
           FROM (SELECT count(*) FILTER (WHERE kind = 'strike')::int AS strikes,
                        count(*) FILTER (WHERE kind = 'ban')::int AS bans,
                        count(*) FILTER (WHERE kind = 'mute')::int AS mutes
                 FROM cases WHERE guild_id = $1 AND user_id = $2) AS c
           LEFT JOIN members m ON m.guild_id = $1 AND m.user_id = $2`,
    values: [guildId, userId],
  });
  const row = rows[0] ?? absent('member', userId);
  const { strikes, bans, mutes, tickets } = row;
  if (row.username === null && strikes + bans + mutes + tickets === 0) absent('member', userId);
  return {
    user_id: userId,
    username: row.username,
    display_name: row.display_name,
    in_guild: row.username !== null,
    role_ids: row.role_ids ?? [],
    joined_at: row.joined_at?.toISOString() ?? null,
    counts: { strikes, bans, mutes, tickets },
  };
}

async function readMe(db: Database, token: AdmittedToken): Promise<OutputOf<'me'>> {
  const { rows } = await db.pool.query<{ id: string; expires_at: Date }>({
    name: 'current_window',
    text: `SELECT id, expires_at FROM windows
           WHERE token_id = $1 AND digest IS NULL AND closed_at IS NULL AND expires_at > clock_timestamp()
           ORDER BY id DESC LIMIT 1`,
    values: [token.id],
  });
  const [window] = rows;
  const budgetsOf = (holder: 'token' | 'user') => {
    const budget = (tier: Tier) => ({
      capacity: TIERS[tier].capacity,
      // The admission saw the balance before this very read was charged.
      remaining: Math.max(
        0,
        Math.floor(token.balances[tier][holder] - (tier === entryOf('me').tier ? 1 : 0)),
      ),
      refill_per_minute: TIERS[tier].refillPerMinute,
    });
    return {
      read: budget('read'),
      reversible_write: budget('reversible_write'),
      destructive_write: budget('destructive_write'),
    };
  };
  return {
    token: {
      id: token.id,
      name: token.name,
      kind: token.kind,
      created_at: token.createdAt.toISOString(),
      rotated_at: token.rotatedAt?.toISOString() ?? null,
      expires_at: token.expiresAt?.toISOString() ?? null,
    },
    issuer: { user_id: token.issuerId, username: token.issuerName },
    guild: { id: token.guild.id, name: token.guild.name, tier: token.guild.tier },
    snapshot: [...token.snapshot],
    effective_capabilities: [...token.capabilities],
    window:
      window === undefined
        ? { open: false }
        : { open: true, window: { window_id: window.id, expires_at: window.expires_at.toISOString() } },
    budgets: { token: budgetsOf('token'), user: budgetsOf('user') },
  };
}
