import { randomBytes } from 'node:crypto';
import {
  ApiError,
  type Capability,
  type EventName,
  hashSecret,
  inTableOrder,
  intersect,
  lastFour,
  SECRET_BYTES,
  secretFromBytes,
} from '@bailiff/core';
import { type Database, GuildTier, RevokedReason, type RowOf, sql, TokenKind } from '@bailiff/prisma';
import { type DashboardCall, recordChange, tell } from '#src/calls/dashboard-call.ts';
import { given } from '#src/database/given.ts';
import { inTransaction, type Transaction } from '#src/database/transaction.ts';
import { botAway, ownedGuild } from '#src/guilds/guilds.ts';

/** Lifetimes of a token in days. Null: it never expires (spec §2). */
export const LIFETIMES = { '7d': 7, '30d': 30, '90d': 90, never: null } as const;
export type Lifetime = keyof typeof LIFETIMES;
export const LIFETIME_NAMES = Object.keys(LIFETIMES) as readonly Lifetime[];
export const DEFAULT_LIFETIME: Lifetime = '90d';

/** Most tokens of a guild that are not revoked. Expired tokens count (decisions: Tokens in the dashboard). */
export const MOST_TOKENS_PER_GUILD = 25;

const ROTATION_OVERLAP_MINUTES = 5;

export type TokenState = 'active' | 'expired' | 'revoked';

/** A token as its owner sees it; the secret is not in it. */
export interface TokenView {
  readonly id: string;
  readonly guildId: string;
  readonly issuerId: string;
  readonly name: string;
  readonly kind: TokenKind;
  readonly state: TokenState;
  readonly secretLastFour: string;
  readonly capabilities: readonly Capability[];
  readonly ipAllowlist: readonly string[];
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly rotatedAt: Date | null;
  readonly rotationRequiredAt: Date | null;
  readonly rotationWarningDismissedAt: Date | null;
  /** During a rotation overlap: how long the previous secret still works. */
  readonly previousSecretExpiresAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
  readonly revokedReason: RevokedReason | null;
  readonly window: { readonly id: string; readonly expiresAt: Date } | null;
}

/** A token together with its secret, which is shown this once. */
export interface IssuedToken {
  readonly token: TokenView;
  readonly secret: string;
}

const TOKEN = {
  id: sql.text,
  guild_id: sql.text,
  issuer_id: sql.text,
  name: sql.text,
  kind: sql.oneOf({ TokenKind }),
  state: sql.text.as<TokenState>(),
  secret_last_four: sql.text,
  capabilities: sql.arrayOf(sql.text),
  ip_allowlist: sql.arrayOf(sql.text),
  created_at: sql.timestamptz,
  expires_at: sql.timestamptz.orNull,
  rotated_at: sql.timestamptz.orNull,
  rotation_required_at: sql.timestamptz.orNull,
  rotation_warning_dismissed_at: sql.timestamptz.orNull,
  previous_secret_expires_at: sql.timestamptz.orNull,
  last_used_at: sql.timestamptz.orNull,
  revoked_at: sql.timestamptz.orNull,
  revoked_reason: sql.oneOf({ RevokedReason }).orNull,
  window_id: sql.text.orNull,
  window_expires_at: sql.timestamptz.orNull,
};

/** SQL of the present state of a row `t` of the tokens. */
export const TOKEN_STATE = `CASE WHEN t.revoked_at IS NOT NULL THEN 'revoked'
  WHEN t.expires_at <= clock_timestamp() THEN 'expired' ELSE 'active' END`;

const TOKEN_COLUMNS = `t.id, t.guild_id, t.issuer_id, t.name, t.kind, t.secret_last_four, t.capabilities, t.ip_allowlist,
  t.created_at, t.expires_at, t.rotated_at, t.rotation_required_at, t.rotation_warning_dismissed_at, t.last_used_at,
  t.revoked_at, t.revoked_reason, w.id AS window_id, w.expires_at AS window_expires_at,
  CASE WHEN t.previous_secret_expires_at > clock_timestamp() THEN t.previous_secret_expires_at END
    AS previous_secret_expires_at,
  ${TOKEN_STATE} AS state`;

const WITH_WINDOW = `LEFT JOIN LATERAL (
  SELECT id, expires_at FROM windows
  WHERE token_id = t.id AND digest IS NULL AND window_is_open(opened_at, expires_at, closed_at)
  ORDER BY id DESC LIMIT 1) AS w ON true`;

const tokensOfGuild = sql.statement({
  parameters: [sql.text],
  columns: TOKEN,
  text: `SELECT ${TOKEN_COLUMNS} FROM tokens t ${WITH_WINDOW} WHERE t.guild_id = $1 ORDER BY t.id DESC`,
});

const tokenById = sql.statement({
  parameters: [sql.text],
  columns: TOKEN,
  text: `SELECT ${TOKEN_COLUMNS} FROM tokens t ${WITH_WINDOW} WHERE t.id = $1`,
});

function viewOf(row: RowOf<typeof TOKEN>): TokenView {
  return {
    id: row.id,
    guildId: row.guild_id,
    issuerId: row.issuer_id,
    name: row.name,
    kind: row.kind,
    state: row.state,
    secretLastFour: row.secret_last_four,
    capabilities: inTableOrder(row.capabilities),
    ipAllowlist: row.ip_allowlist,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    rotatedAt: row.rotated_at,
    rotationRequiredAt: row.rotation_required_at,
    rotationWarningDismissedAt: row.rotation_warning_dismissed_at,
    previousSecretExpiresAt: row.previous_secret_expires_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
    revokedReason: row.revoked_reason,
    window:
      row.window_id === null || row.window_expires_at === null
        ? null
        : { id: row.window_id, expiresAt: row.window_expires_at },
  };
}

/** A token as the dashboard's wire has it. */
export function tokenWire(token: TokenView) {
  return {
    id: token.id,
    guild_id: token.guildId,
    issuer_id: token.issuerId,
    name: token.name,
    kind: token.kind,
    state: token.state,
    secret_hint: `svcpat_…${token.secretLastFour}`,
    capabilities: token.capabilities,
    ip_allowlist: token.ipAllowlist,
    created_at: token.createdAt.toISOString(),
    expires_at: token.expiresAt?.toISOString() ?? null,
    rotated_at: token.rotatedAt?.toISOString() ?? null,
    rotation_required_at: token.rotationRequiredAt?.toISOString() ?? null,
    rotation_warning_dismissed_at: token.rotationWarningDismissedAt?.toISOString() ?? null,
    previous_secret_expires_at: token.previousSecretExpiresAt?.toISOString() ?? null,
    last_used_at: token.lastUsedAt?.toISOString() ?? null,
    revoked_at: token.revokedAt?.toISOString() ?? null,
    revoked_reason: token.revokedReason,
    window: token.window && { window_id: token.window.id, expires_at: token.window.expiresAt.toISOString() },
  };
}

export type TokenWire = ReturnType<typeof tokenWire>;

/**
 * A guild's tokens, newest first. Expired and revoked tokens stay in the list.
 *
 * @throws ApiError as {@link ownedGuild}.
 */
export async function listTokens(db: Database, userId: string, guildId: string): Promise<TokenView[]> {
  await ownedGuild(db, guildId, userId, { fresh: false });
  return (await tokensOfGuild.all(db.pool, [guildId])).map(viewOf);
}

export interface NewToken {
  readonly guildId: string;
  readonly name: string;
  readonly kind: TokenKind;
  /** Default: all that the issuer holds. Capabilities that the issuer does not hold are left out. */
  readonly capabilities?: readonly Capability[] | undefined;
  readonly expiresIn: Lifetime;
  readonly ipAllowlist: readonly string[];
}

/**
 * Mints a token for a guild that the user owns. Only the hash of its secret is stored (spec §2).
 *
 * @throws ApiError as {@link ownedGuild}; FORBIDDEN GUILD_NOT_PAID or TOKEN_LIMIT.
 */
export async function mintToken(db: Database, call: DashboardCall, wanted: NewToken): Promise<IssuedToken> {
  const guild = await ownedGuild(db, wanted.guildId, call.userId, { fresh: true });
  const capabilities = intersect(wanted.capabilities ?? guild.capabilities, guild.capabilities);
  return inTransaction(db, (tx) => mintWithin(tx, call, { ...wanted, capabilities }));
}

const insertToken = sql.statement({
  parameters: [
    sql.text,
    sql.text,
    sql.text,
    sql.oneOf({ TokenKind }),
    sql.bytea,
    sql.text,
    sql.arrayOf(sql.text),
    sql.arrayOf(sql.text),
    sql.int.orNull,
  ],
  columns: { id: sql.text },
  text: `INSERT INTO tokens (guild_id, issuer_id, name, kind, secret_hash, secret_last_four, capabilities, ip_allowlist,
      lifetime_days, created_at, expires_at)
    SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9::int, moment, moment + make_interval(days => $9::int)
    FROM (SELECT date_trunc('milliseconds', clock_timestamp()) AS moment) AS clock
    RETURNING id`,
});

/**
 * Mints a token with exactly these capabilities, in the caller's transaction. The caller has already called {@link
 * ownedGuild}.
 *
 * @throws ApiError as {@link refuseMint}.
 */
export async function mintWithin(
  tx: Transaction,
  call: DashboardCall,
  wanted: NewToken & { capabilities: readonly Capability[] },
): Promise<IssuedToken> {
  await refuseMint(tx, wanted.guildId, call.userId);
  const secret = newSecret();
  const { id } = await insertToken.only(tx, [
    wanted.guildId,
    call.userId,
    wanted.name,
    wanted.kind,
    hashSecret(secret),
    lastFour(secret),
    wanted.capabilities,
    wanted.ipAllowlist,
    LIFETIMES[wanted.expiresIn],
  ]);
  const token = await viewToken(tx, id);
  await recordToken(tx, call, token, 'tokens.create', {
    kind: token.kind,
    capabilities: token.capabilities,
    expires_at: token.expiresAt?.toISOString() ?? null,
    ip_allowlist: token.ipAllowlist,
  });
  return { token, secret };
}

const lockTierOfGuild = sql.statement({
  parameters: [sql.text, sql.text],
  columns: { tier: sql.oneOf({ GuildTier }) },
  text: 'SELECT tier FROM guilds WHERE id = $1 AND owner_id = $2 AND left_at IS NULL FOR NO KEY UPDATE',
});

/**
 * Throws if no token can be minted. Locks the guild, so that two mints cannot both be the 25th.
 *
 * @throws ApiError NOT_FOUND for a guild the user does not own; FORBIDDEN GUILD_NOT_PAID or TOKEN_LIMIT.
 */
export async function refuseMint(tx: Transaction, guildId: string, ownerId: string): Promise<void> {
  const guild = await lockTierOfGuild.first(tx, [guildId, ownerId]);
  if (guild === null) throw new ApiError('NOT_FOUND', 'There is no such guild among yours.');
  if (guild.tier === 'free') {
    throw new ApiError('FORBIDDEN', 'Tokens are part of the paid tier. Upgrade the guild to create one.', {
      details: { reason: 'GUILD_NOT_PAID' },
    });
  }
  if ((await tx.prisma.token.count({ where: { guildId, revokedAt: null } })) >= MOST_TOKENS_PER_GUILD) {
    const message = `A guild has at most ${MOST_TOKENS_PER_GUILD} tokens that are not revoked. Revoke one that nobody needs.`;
    throw new ApiError('FORBIDDEN', message, { details: { reason: 'TOKEN_LIMIT' } });
  }
}

const revokeByOwner = sql.command({
  parameters: [sql.text, sql.text],
  text: `UPDATE tokens SET revoked_at = clock_timestamp(), revoked_reason = 'owner', revoked_by = $2 WHERE id = $1`,
});

const closeWindows = sql.command({
  parameters: [sql.text],
  text: `UPDATE windows SET closed_at = clock_timestamp()
    WHERE token_id = $1 AND NOT window_is_over(expires_at, closed_at)`,
});

/**
 * Revokes a token permanently. A token that is already revoked does not change.
 *
 * @throws ApiError NOT_FOUND if the token is not of a guild the user owns; so do all functions below.
 */
export async function revokeToken(db: Database, call: DashboardCall, tokenId: string): Promise<TokenView> {
  return change(db, call, tokenId, { fresh: false }, async (tx, token) => {
    if (token.state === 'revoked') return null;
    await revokeByOwner.run(tx, [token.id, call.userId]);
    await closeWindows.run(tx, [token.id]);
    return { operation: 'tokens.revoke' };
  });
}

const extendLife = sql.command({
  parameters: [sql.text, sql.int.orNull],
  text: `UPDATE tokens SET expires_at = date_trunc('milliseconds', greatest(expires_at, clock_timestamp()))
    + make_interval(days => $2::int) WHERE id = $1`,
});

/**
 * Extends a token's life by a lifetime. An expired token is active again, and its life counts from now (spec §3,
 * decisions: Tokens in the dashboard). A token without expiry keeps none, unless a lifetime is given: that one counts
 * from now.
 *
 * @throws ApiError TOKEN_REVOKED (409).
 */
export async function renewToken(
  db: Database,
  call: DashboardCall,
  tokenId: string,
  expiresIn: Lifetime | undefined,
): Promise<TokenView> {
  return change(db, call, tokenId, { fresh: true }, async (tx, token) => {
    refuseRevoked(token);
    const length = expiresIn ?? (token.expiresAt === null ? 'never' : DEFAULT_LIFETIME);
    await extendLife.run(tx, [token.id, LIFETIMES[length]]);
    return { operation: 'tokens.renew', details: { expires_in: length } };
  });
}

const replaceSecret = sql.command({
  parameters: [sql.text, sql.bytea, sql.text, sql.bool, sql.int],
  text: `UPDATE tokens SET
      previous_secret_hash = CASE WHEN $4 THEN secret_hash END,
      previous_secret_expires_at = CASE WHEN $4 THEN clock_timestamp() + make_interval(mins => $5) END,
      secret_hash = $2, secret_last_four = $3, rotated_at = clock_timestamp(), rotation_required_at = NULL,
      rotation_warning_dismissed_at = NULL,
      expires_at = CASE WHEN expires_at <= clock_timestamp()
                        THEN clock_timestamp() + make_interval(days => lifetime_days) ELSE expires_at END
    WHERE id = $1`,
});

/**
 * Gives a token a new secret. The old secret stops working at once, or after five minutes with `overlap`. An earlier
 * overlap ends at once. An expired token is active again for its original lifetime.
 *
 * @throws ApiError TOKEN_REVOKED (409).
 */
export async function rotateToken(
  db: Database,
  call: DashboardCall,
  tokenId: string,
  { overlap }: { overlap: boolean },
): Promise<IssuedToken> {
  const secret = newSecret();
  const token = await change(db, call, tokenId, { fresh: true }, async (tx, { id, state }) => {
    refuseRevoked({ state });
    const minutes = ROTATION_OVERLAP_MINUTES;
    await replaceSecret.run(tx, [id, hashSecret(secret), lastFour(secret), overlap, minutes]);
    return { operation: 'tokens.rotate', details: { overlap } };
  });
  return { token, secret };
}

/**
 * Changes the name, the allowlist or both. Absent fields stay unchanged. The new allowlist applies from the next
 * request (spec §5.6).
 */
export async function updateToken(
  db: Database,
  call: DashboardCall,
  tokenId: string,
  changes: { name?: string | undefined; ipAllowlist?: readonly string[] | undefined },
): Promise<TokenView> {
  return change(db, call, tokenId, { fresh: true }, async (tx, token) => {
    const { name, ipAllowlist } = changes;
    await tx.prisma.token.update({
      where: { id: token.id },
      data: given({ name, ipAllowlist: ipAllowlist && [...ipAllowlist] }),
      select: { id: true },
    });
    return { operation: 'tokens.update', details: given({ name, ip_allowlist: ipAllowlist }) };
  });
}

const dismissWarning = sql.command({
  parameters: [sql.text],
  text: 'UPDATE tokens SET rotation_warning_dismissed_at = clock_timestamp() WHERE id = $1',
});

/** Dismisses the 90-day warning of a token. The banner at 180 days appears anyway (spec §3). */
export async function snoozeWarning(db: Database, call: DashboardCall, tokenId: string): Promise<TokenView> {
  return change(db, call, tokenId, { fresh: false }, async (tx, token) => {
    await dismissWarning.run(tx, [token.id]);
    return { operation: 'tokens.snooze' };
  });
}

type Change = { operation: EventName; details?: object } | null;

/** Makes one change of a token under its lock, with its audit row. `null` means that nothing changed. */
async function change(
  db: Database,
  call: DashboardCall,
  tokenId: string,
  needs: { fresh: boolean },
  make: (tx: Transaction, token: LockedToken) => Promise<Change>,
): Promise<TokenView> {
  return inTransaction(db, async (tx) => {
    const locked = await lockOwnedToken(tx, call.userId, tokenId, needs);
    const made = await make(tx, locked);
    const token = await viewToken(tx, tokenId);
    if (made !== null) await recordToken(tx, call, token, made.operation, made.details);
    return token;
  });
}

export interface LockedToken {
  readonly id: string;
  readonly guildId: string;
  readonly name: string;
  readonly state: TokenState;
  readonly expiresAt: Date | null;
}

const lockTokenOfOwner = sql.statement({
  parameters: [sql.text, sql.text],
  columns: {
    id: sql.text,
    guild_id: sql.text,
    name: sql.text,
    expires_at: sql.timestamptz.orNull,
    mirror_fresh: sql.bool,
    state: sql.text.as<TokenState>(),
  },
  text: `SELECT t.id, t.guild_id, t.name, t.expires_at, g.mirror_fresh, ${TOKEN_STATE} AS state
    FROM tokens t JOIN live_guilds g ON g.id = t.guild_id
    WHERE t.id = $1 AND g.owner_id = $2 AND g.left_at IS NULL FOR UPDATE OF t`,
});

/**
 * A token of a guild that the user owns, its row locked for this transaction. Tokens that do not exist and other
 * people's tokens give the same answer.
 *
 * @param needs.fresh for changes that give rights: the mirror must be trustworthy.
 * @throws ApiError NOT_FOUND, UPSTREAM_UNAVAILABLE.
 */
export async function lockOwnedToken(
  tx: Transaction,
  userId: string,
  tokenId: string,
  needs: { fresh: boolean },
): Promise<LockedToken> {
  const row = await lockTokenOfOwner.first(tx, [tokenId, userId]);
  if (row === null) throw new ApiError('NOT_FOUND', 'There is no such token among yours.');
  if (needs.fresh && !row.mirror_fresh) throw botAway();
  return { id: row.id, guildId: row.guild_id, name: row.name, state: row.state, expiresAt: row.expires_at };
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

async function viewToken(tx: Transaction, tokenId: string): Promise<TokenView> {
  return viewOf(await tokenById.only(tx, [tokenId]));
}

async function recordToken(
  tx: Transaction,
  call: DashboardCall,
  token: TokenView,
  operation: EventName,
  details?: object,
): Promise<void> {
  await tell(tx, 'token', token.guildId, { token_id: token.id });
  await recordChange(tx, call, {
    guildId: token.guildId,
    operation,
    target: { type: 'token', id: token.id },
    token,
    ...(details === undefined ? {} : { details }),
  });
}

function newSecret(): string {
  return secretFromBytes(randomBytes(SECRET_BYTES));
}
