import { ApiError, type EventName, hashSecret, lastFour } from '@bailiff/core';
import { type Database, sql } from '@bailiff/prisma';
import { type DashboardCall, requireFreshSession } from '#src/calls/dashboard-call.ts';
import { given } from '#src/database/given.ts';
import { inTransaction, type Transaction } from '#src/database/transaction.ts';
import { MIRROR_STATE, mirrorAway } from '#src/guilds/mirror-state.ts';
import { endWindows } from './end-windows.ts';
import { type IssuedToken, newSecret, recordToken } from './mint.ts';
import {
  DEFAULT_LIFETIME,
  LIFETIMES,
  type Lifetime,
  TOKEN_STATE,
  type TokenState,
  type TokenView,
  viewToken,
} from './token-view.ts';

const ROTATION_OVERLAP_MINUTES = 5;

const revokeByOwner = sql.command({
  parameters: [sql.text, sql.text],
  text: `UPDATE tokens SET revoked_at = clock_timestamp(), revoked_reason = 'owner', revoked_by = $2 WHERE id = $1`,
});

/**
 * Revokes a token permanently, and cancels what its windows admitted and nobody has begun. A token that is already
 * revoked does not change.
 *
 * @throws ApiError NOT_FOUND if the token is not of a guild the user owns; so do all functions below.
 */
export async function revokeToken(db: Database, call: DashboardCall, tokenId: string): Promise<TokenView> {
  return change(db, call, tokenId, { needsMirror: false }, async (tx, token) => {
    if (token.state === 'revoked') return null;
    await revokeByOwner.run(tx, [token.id, call.userId]);
    await endWindows(tx, token.id, null);
    return { operation: 'tokens.revoke' };
  });
}

const extendLife = sql.command({
  parameters: [sql.text, sql.int.orNull],
  text: `UPDATE tokens SET expires_at = date_trunc('milliseconds', greatest(expires_at, clock_timestamp()))
      + make_interval(days => $2::int),
      lifetime_days = coalesce(lifetime_days, $2::int) WHERE id = $1`,
});

/**
 * Extends a token's life by a lifetime. An expired token is active again, and its life counts from now (spec §3,
 * decisions: Tokens in the dashboard). A token without expiry keeps none, unless a lifetime is given: that one counts
 * from now.
 *
 * @throws ApiError TOKEN_REVOKED (409); FORBIDDEN NOT_ISSUER.
 */
export async function renewToken(
  db: Database,
  call: DashboardCall,
  tokenId: string,
  expiresIn: Lifetime | undefined,
): Promise<TokenView> {
  return change(db, call, tokenId, { needsMirror: true }, async (tx, token) => {
    refuseRevoked(token);
    refuseOfOthers(token, call.userId);
    const length = expiresIn ?? (token.expiresAt === null ? 'never' : DEFAULT_LIFETIME);
    await extendLife.run(tx, [token.id, LIFETIMES[length]]);
    return { operation: 'tokens.renew', details: { expires_in: length } };
  });
}

const replaceSecret = sql.command({
  parameters: [sql.text, sql.bytea, sql.text, sql.bool, sql.int, sql.int.orNull],
  // One reading of the clock, so that the overlap is five minutes to the millisecond.
  text: `UPDATE tokens SET
      previous_secret_hash = CASE WHEN $4 THEN secret_hash END,
      previous_secret_expires_at = CASE WHEN $4 THEN clock.now + make_interval(mins => $5) END,
      secret_hash = $2, secret_last_four = $3, rotated_at = clock.now, rotation_required_at = NULL,
      rotation_warning_dismissed_at = NULL,
      expires_at = CASE WHEN expires_at <= clock.now
                        THEN clock.now + make_interval(days => coalesce(lifetime_days, $6)) ELSE expires_at END
    FROM (SELECT clock_timestamp() AS now OFFSET 0) AS clock
    WHERE id = $1`,
});

/**
 * Gives a token a new secret. The old secret stops working at once, or after five minutes with `overlap`. An earlier
 * overlap ends at once. An expired token is active again for its original lifetime; one that had none then, for the first
 * that it was given.
 *
 * @throws ApiError TOKEN_REVOKED (409); FORBIDDEN NOT_ISSUER.
 */
export async function rotateToken(
  db: Database,
  call: DashboardCall,
  tokenId: string,
  { overlap }: { overlap: boolean },
): Promise<IssuedToken> {
  const secret = newSecret();
  const token = await change(db, call, tokenId, { needsMirror: true }, async (tx, locked) => {
    refuseRevoked(locked);
    refuseOfOthers(locked, call.userId);
    const minutes = ROTATION_OVERLAP_MINUTES;
    const days = LIFETIMES[DEFAULT_LIFETIME];
    await replaceSecret.run(tx, [locked.id, hashSecret(secret), lastFour(secret), overlap, minutes, days]);
    return { operation: 'tokens.rotate', details: { overlap } };
  });
  return { token, secret };
}

const isWider = sql.statement({
  parameters: [sql.text, sql.arrayOf(sql.text)],
  columns: { is_wider: sql.bool },
  text: 'SELECT allowlist_is_wider(ip_allowlist, $2) AS is_wider FROM tokens WHERE id = $1',
});

/**
 * Changes the name, the allowlist or both. Absent fields stay unchanged. The new allowlist applies from the next
 * request (spec §5.6).
 *
 * @throws ApiError UNAUTHORIZED SIGN_IN_AGAIN if the allowlist admits more than before and the session is too old
 */
export async function updateToken(
  db: Database,
  call: DashboardCall,
  tokenId: string,
  changes: { name?: string | undefined; ipAllowlist?: readonly string[] | undefined },
): Promise<TokenView> {
  return change(db, call, tokenId, { needsMirror: true }, async (tx, token) => {
    const { name, ipAllowlist } = changes;
    const givesPower =
      ipAllowlist !== undefined && (await isWider.only(tx, [token.id, ipAllowlist])).is_wider === true;
    await tx.prisma.token.update({
      where: { id: token.id },
      data: given({ name, ipAllowlist: ipAllowlist && [...ipAllowlist] }),
      select: { id: true },
    });
    return { operation: 'tokens.update', details: given({ name, ip_allowlist: ipAllowlist }), givesPower };
  });
}

const dismissWarning = sql.command({
  parameters: [sql.text],
  text: 'UPDATE tokens SET rotation_warning_dismissed_at = clock_timestamp() WHERE id = $1',
});

/** Dismisses the 90-day warning of a token. The banner at 180 days appears anyway (spec §3). */
export async function snoozeWarning(db: Database, call: DashboardCall, tokenId: string): Promise<TokenView> {
  return change(db, call, tokenId, { needsMirror: false }, async (tx, token) => {
    await dismissWarning.run(tx, [token.id]);
    return { operation: 'tokens.snooze' };
  });
}

const setMuted = sql.command({
  parameters: [sql.text, sql.bool],
  text: 'UPDATE tokens SET muted_at = CASE WHEN $2 THEN clock_timestamp() END WHERE id = $1',
});

/** Mutes a token: its destructive calls ask for no approval any more. Or lets it ask again. */
export async function muteToken(
  db: Database,
  call: DashboardCall,
  tokenId: string,
  muted: boolean,
): Promise<TokenView> {
  return change(db, call, tokenId, { needsMirror: false }, async (tx, token) => {
    if ((await viewToken(tx, token.id)).isMuted === muted) return null;
    await setMuted.run(tx, [token.id, muted]);
    return { operation: muted ? 'tokens.mute' : 'tokens.unmute' };
  });
}

/** `givesPower`: it wants a fresh sign-in. */
type Change = { operation: EventName; details?: object; givesPower?: boolean } | null;

/** Makes one change of a token under its lock, with its audit row. `null` means that nothing changed. */
async function change(
  db: Database,
  call: DashboardCall,
  tokenId: string,
  needs: { needsMirror: boolean },
  make: (tx: Transaction, token: LockedToken) => Promise<Change>,
): Promise<TokenView> {
  return inTransaction(db, async (tx) => {
    const locked = await lockOwnedToken(tx, call.userId, tokenId, needs);
    const made = await make(tx, locked);
    const token = await viewToken(tx, tokenId);
    if (made !== null) await recordToken(tx, call, token, made.operation, made.details);
    if (made?.givesPower === true) await requireFreshSession(tx);
    return token;
  });
}

export interface LockedToken {
  readonly id: string;
  readonly guildId: string;
  readonly issuerId: string;
  readonly name: string;
  readonly state: TokenState;
  readonly expiresAt: Date | null;
}

const lockTokenOfOwner = sql.statement({
  parameters: [sql.text, sql.text],
  columns: {
    id: sql.text,
    guild_id: sql.text,
    issuer_id: sql.text,
    name: sql.text,
    expires_at: sql.timestamptz.orNull,
    mirror_fresh: sql.bool,
    mirror_state: MIRROR_STATE.mirror_state,
    state: sql.text.as<TokenState>(),
  },
  text: `SELECT t.id, t.guild_id, t.issuer_id, t.name, t.expires_at, g.mirror_fresh, g.mirror_state,
      ${TOKEN_STATE} AS state
    FROM tokens t JOIN live_guilds g ON g.id = t.guild_id
    WHERE t.id = $1 AND g.owner_id = $2 AND g.left_at IS NULL FOR UPDATE OF t`,
});

// Whoever takes the guild over waits, and then ends what was allowed (SQL `follow_new_owner`).
const keepOwner = sql.command({
  parameters: [sql.text, sql.text],
  text: 'SELECT FROM guilds WHERE id = $1 AND owner_id = $2 AND left_at IS NULL FOR SHARE',
});

/**
 * A token of a guild that the user owns, its row locked for this transaction, until whose end they stay the owner. Tokens
 * that do not exist and other people's tokens give the same answer.
 *
 * @param needs.needsMirror for changes that give rights: the mirror must be trustworthy.
 * @throws ApiError NOT_FOUND, UPSTREAM_UNAVAILABLE.
 */
export async function lockOwnedToken(
  tx: Transaction,
  userId: string,
  tokenId: string,
  needs: { needsMirror: boolean },
): Promise<LockedToken> {
  const row = await lockTokenOfOwner.first(tx, [tokenId, userId]);
  // In the order of admit_call: token, guild.
  if (row === null || (await keepOwner.run(tx, [row.guild_id, userId])) === 0)
    throw new ApiError('NOT_FOUND', 'There is no such token among yours.');
  if (needs.needsMirror && !row.mirror_fresh) throw mirrorAway(row.mirror_state, 'who owns the guild');
  return {
    id: row.id,
    guildId: row.guild_id,
    issuerId: row.issuer_id,
    name: row.name,
    state: row.state,
    expiresAt: row.expires_at,
  };
}

/**
 * @throws ApiError TOKEN_REVOKED or TOKEN_EXPIRED with status 409, because the token is the target here, not the
 * caller.
 */
export function refuseUnusable(token: Pick<LockedToken, 'state'>): void {
  refuseRevoked(token);
  if (token.state === 'expired') {
    throw new ApiError('TOKEN_EXPIRED', 'This token has expired. Renew or rotate it first.', { status: 409 });
  }
}

function refuseRevoked({ state }: Pick<LockedToken, 'state'>): void {
  if (state === 'revoked') {
    const message = 'This token is revoked, and that is final. Create a new one.';
    throw new ApiError('TOKEN_REVOKED', message, { status: 409 });
  }
}

/** Its calls are made in its issuer's name: with a secret of it, a new owner would act as the former one. */
function refuseOfOthers({ issuerId }: Pick<LockedToken, 'issuerId'>, userId: string): void {
  if (issuerId === userId) return;
  const message =
    'A former owner of the guild issued this token, and it acts in their name. Revoke it, and create one of your own.';
  throw new ApiError('FORBIDDEN', message, { details: { reason: 'NOT_ISSUER' } });
}
