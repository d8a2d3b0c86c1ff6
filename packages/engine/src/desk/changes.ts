import type { Capability } from '@bailiff/core';
import { type Database, sql } from '@bailiff/prisma';
import { liveCapabilities } from '#src/calls/admission.ts';

/** Of a guild, what can change under an open page; the database tells of each (SQL `tell`). */
export type ChangeKind =
  | 'action'
  | 'approval'
  | 'audit'
  | 'case'
  | 'note'
  | 'server'
  | 'settings'
  | 'ticket'
  | 'token'
  | 'window';

/** Somebody with an open page, as they are at this moment. */
export interface Subscriber {
  readonly isOwner: boolean;
  readonly capabilities: readonly Capability[];
}

const OWNER_ONLY = 'owner';
const EVERYBODY = 'everybody';

/** Who is told of a change: holders of one of these capabilities, the owner in any case. */
const RECIPIENTS: Readonly<Record<ChangeKind, readonly Capability[] | typeof OWNER_ONLY | typeof EVERYBODY>> =
  {
    action: EVERYBODY,
    approval: OWNER_ONLY,
    audit: ['audit.read'],
    case: ['strikes.read', 'bans.read', 'mutes.read'],
    note: ['members.read'],
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

/** A page that is open: a guild, and the session that looks at it ({@link Session.key}). */
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
 * What each listener may do now; null for one whose session has ended or whose guild is no longer theirs. One statement,
 * however many they are.
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
    // As in `guildFor`: who neither owns nor moderates it has no part in it.
    if (isOwner || capabilities.length > 0) subscribers[place - 1] = { isOwner, capabilities };
  }
  return subscribers;
}
