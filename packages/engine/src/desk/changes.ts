import type { Capability } from '@bailiff/core';
import { type Database, sql } from '@bailiff/prisma';
import { liveCapabilities } from '#src/calls/admission.ts';

/** The kinds of change that open pages are notified of. The database sends the notifications (SQL `tell`). */
export type ChangeKind =
  | 'action'
  | 'appeal'
  | 'approval'
  | 'audit'
  | 'case'
  | 'channel'
  | 'conversation'
  | 'measure'
  | 'note'
  | 'progress'
  | 'report'
  | 'server'
  | 'settings'
  | 'ticket'
  | 'token'
  | 'window';

/** The rights of a person with an open page, at this moment. */
export interface Subscriber {
  readonly isOwner: boolean;
  readonly capabilities: readonly Capability[];
}

const OWNER_ONLY = 'owner';
const EVERYBODY = 'everybody';

/** Who receives each kind of change: holders of one of these capabilities, and always the owner. */
const RECIPIENTS: Readonly<Record<ChangeKind, readonly Capability[] | typeof OWNER_ONLY | typeof EVERYBODY>> =
  {
    action: EVERYBODY,
    appeal: ['appeals.read'],
    approval: OWNER_ONLY,
    audit: ['audit.read'],
    case: ['strikes.read', 'bans.read', 'mutes.read'],
    channel: OWNER_ONLY,
    conversation: ['tickets.read'],
    measure: ['channels.write', 'roles.write'],
    note: ['members.read'],
    progress: EVERYBODY,
    report: ['reports.read'],
    server: ['servers.read', 'servers.rcon'],
    settings: EVERYBODY,
    ticket: ['tickets.read'],
    token: OWNER_ONLY,
    window: OWNER_ONLY,
  };

export function mayReceive(kind: ChangeKind, { isOwner, capabilities }: Subscriber): boolean {
  const recipients = RECIPIENTS[kind];
  if (recipients === EVERYBODY || isOwner) return true;
  return recipients !== OWNER_ONLY && recipients.some((capability) => capabilities.includes(capability));
}

/** An open page: its guild, and the session that views it ({@link Session.key}). */
export interface Listener {
  readonly guildId: string;
  readonly sessionKey: string;
}

const openPages = sql.statement({
  parameters: [sql.arrayOf(sql.text), sql.arrayOf(sql.text)],
  columns: { place: sql.int, user_id: sql.text, owner_id: sql.text, granted: sql.arrayOf(sql.text) },
  text: `SELECT l.place::int, s.user_id, g.owner_id, (SELECT capabilities FROM granted_to(g.id, s.user_id)) AS granted
    FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS l (guild_id, session_key, place)
    JOIN sessions s ON s.token_hash = decode(l.session_key, 'hex') AND s.expires_at > clock_timestamp()
    JOIN guilds g ON g.id = l.guild_id AND g.left_at IS NULL`,
});

/**
 * What each listener may do now. Null if the session has ended or the guild is no longer theirs. Uses one statement for
 * any number of listeners.
 */
export async function subscribersOf(
  db: Database,
  listeners: readonly Listener[],
): Promise<(Subscriber | null)[]> {
  const rows = await openPages.all(db.pool, [
    listeners.map(({ guildId }) => guildId),
    listeners.map(({ sessionKey }) => sessionKey),
  ]);
  const subscribers: (Subscriber | null)[] = listeners.map(() => null);
  for (const { place, user_id, owner_id, granted } of rows) {
    const isOwner = owner_id === user_id;
    const capabilities = liveCapabilities(owner_id, user_id, granted);
    // As in `guildFor`: who is neither owner nor moderator has no access.
    if (isOwner || capabilities.length > 0) subscribers[place - 1] = { isOwner, capabilities };
  }
  return subscribers;
}
