import { ApiError } from '@bailiff/core';
import { type Database, sql } from '@bailiff/prisma';
import { type DashboardCall, recordChange, tell } from '#src/calls/dashboard-call.ts';
import { inTransaction, type Transaction } from '#src/database/transaction.ts';
import { endWindows } from './end-windows.ts';
import { lockOwnedToken, refuseUnusable } from './tokens.ts';

/** An open window as the specification defines it: it admits any destructive call of its token until it ends. */
export interface OpenWindow {
  readonly id: string;
  readonly expiresAt: Date;
}

/** `{ open, window? }` in the API's format (spec §2). */
export function windowWire(window: OpenWindow | null) {
  if (window === null) return { open: false } as const;
  return {
    open: true,
    window: { window_id: window.id, expires_at: window.expiresAt.toISOString() },
  } as const;
}

/**
 * Opens a window for a token, and replaces an open one (decisions: Approval requests).
 *
 * @throws ApiError NOT_FOUND if the token is not of a guild the user owns; TOKEN_REVOKED or TOKEN_EXPIRED (409).
 */
export async function openWindow(
  db: Database,
  call: DashboardCall,
  tokenId: string,
  windowMinutes: number,
): Promise<OpenWindow> {
  return inTransaction(db, async (tx) => {
    const token = await lockOwnedToken(tx, call.userId, tokenId, { needsMirror: true });
    refuseUnusable(token);
    const window = await insertWindow(tx, token, { openedBy: call.userId, windowMinutes, digest: null });
    await recordChange(tx, call, {
      guildId: token.guildId,
      operation: 'windows.open',
      target: { type: 'token', id: token.id },
      token,
      details: { window_id: window.id, expires_at: window.expiresAt.toISOString() },
    });
    return window;
  });
}

const closeLongWindow = sql.command({
  parameters: [sql.text],
  text: `UPDATE windows SET closed_at = clock_timestamp()
    WHERE token_id = $1 AND digest IS NULL AND NOT window_is_over(expires_at, closed_at)`,
});

const openWindowOf = sql.statement({
  parameters: [sql.text, sql.text, sql.text, sql.int, sql.text.orNull],
  columns: { id: sql.text, expires_at: sql.timestamptz },
  text: `INSERT INTO windows (token_id, guild_id, opened_by, opened_at, expires_at, digest)
    SELECT $1, $2, $3, moment, moment + make_interval(mins => $4), $5
    FROM (SELECT date_trunc('milliseconds', clock_timestamp()) AS moment) AS clock
    RETURNING id, expires_at`,
});

/**
 * A new window of a token whose row the caller has locked. With a digest, it is for one call, once. Without one, it
 * replaces the open window. Locks are taken in the order of `submit_call`: token, then windows.
 */
export async function insertWindow(
  tx: Transaction,
  token: { id: string; guildId: string },
  window: { openedBy: string; windowMinutes: number; digest: string | null },
): Promise<OpenWindow> {
  const { openedBy, windowMinutes, digest } = window;
  if (digest === null) await closeLongWindow.run(tx, [token.id]);
  const row = await openWindowOf.only(tx, [token.id, token.guildId, openedBy, windowMinutes, digest]);
  await tell(tx, 'window', token.guildId, { token_id: token.id });
  return { id: row.id, expiresAt: row.expires_at };
}

/**
 * Closes every open window of a token, and approvals of single calls too, and cancels what they admitted and nobody has
 * begun. Does nothing if there is nothing to end.
 *
 * @throws ApiError NOT_FOUND for a token that is not of a guild the user owns.
 */
export async function closeWindow(db: Database, call: DashboardCall, tokenId: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    const token = await lockOwnedToken(tx, call.userId, tokenId, { needsMirror: false });
    const { closed, cancelled } = await endWindows(tx, token.id, null);
    if (closed.length === 0 && cancelled === 0) return;
    await tell(tx, 'window', token.guildId, { token_id: token.id });
    await recordChange(tx, call, {
      guildId: token.guildId,
      operation: 'windows.close',
      target: { type: 'token', id: token.id },
      token,
      details: { window_ids: closed, cancelled_calls: cancelled },
    });
  });
}

const closeToCome = sql.command({
  parameters: [],
  text: `UPDATE windows SET closed_at = clock_timestamp()
    WHERE NOT window_is_over(expires_at, closed_at) AND NOT window_is_open(opened_at, expires_at, closed_at)`,
});

/**
 * Closes windows that begin later: since they were opened, the database's clock has gone back. They would open by
 * themselves when it comes to that moment again.
 */
export async function closeWindowsToCome({ pool }: Pick<Database, 'pool'>): Promise<void> {
  await closeToCome.run(pool, []);
}

/** An open window, with its token and guild by name. */
export interface NamedWindow extends OpenWindow {
  readonly tokenId: string;
  readonly tokenName: string;
  readonly guildId: string;
  readonly guildName: string;
}

const windowsOfOwner = sql.statement({
  parameters: [sql.text],
  columns: {
    id: sql.text,
    expires_at: sql.timestamptz,
    token_id: sql.text,
    token_name: sql.text,
    guild_id: sql.text,
    guild_name: sql.text,
  },
  text: `SELECT w.id, w.expires_at, t.id AS token_id, t.name AS token_name, g.id AS guild_id, g.name AS guild_name
    FROM guilds g JOIN tokens t ON t.guild_id = g.id AND t.revoked_at IS NULL
    JOIN windows w ON w.token_id = t.id AND w.digest IS NULL AND window_is_open(w.opened_at, w.expires_at, w.closed_at)
    WHERE g.owner_id = $1 AND g.left_at IS NULL ORDER BY w.expires_at, w.id`,
});

/** The open windows of all guilds that a user owns, the one that ends first before the others. */
export async function openWindowsOf(db: Database, userId: string): Promise<NamedWindow[]> {
  const rows = await windowsOfOwner.all(db.pool, [userId]);
  return rows.map((row) => ({
    id: row.id,
    expiresAt: row.expires_at,
    tokenId: row.token_id,
    tokenName: row.token_name,
    guildId: row.guild_id,
    guildName: row.guild_name,
  }));
}

const windowOfToken = sql.statement({
  parameters: [sql.text, sql.text],
  columns: { id: sql.text.orNull, expires_at: sql.timestamptz.orNull },
  text: `SELECT w.id, w.expires_at FROM tokens t
    JOIN guilds g ON g.id = t.guild_id AND g.owner_id = $2 AND g.left_at IS NULL
    LEFT JOIN windows w ON w.token_id = t.id AND w.digest IS NULL
      AND window_is_open(w.opened_at, w.expires_at, w.closed_at)
    WHERE t.id = $1 ORDER BY w.id DESC LIMIT 1`,
});

/**
 * The open window of a token, or null.
 *
 * @throws ApiError NOT_FOUND for a token that is not of a guild the user owns.
 */
export async function currentWindow(
  db: Database,
  userId: string,
  tokenId: string,
): Promise<OpenWindow | null> {
  const row = await windowOfToken.first(db.pool, [tokenId, userId]);
  if (row === null) throw new ApiError('NOT_FOUND', 'There is no such token among yours.');
  return row.id === null || row.expires_at === null ? null : { id: row.id, expiresAt: row.expires_at };
}
