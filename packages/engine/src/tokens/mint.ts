import { randomBytes } from 'node:crypto';
import {
  ApiError,
  type Capability,
  type EventName,
  hashSecret,
  intersect,
  lastFour,
  SECRET_BYTES,
  secretFromBytes,
} from '@bailiff/core';
import { type Database, GuildTier, sql, TokenKind } from '@bailiff/prisma';
import { type DashboardCall, recordChange, tell } from '#src/calls/dashboard-call.ts';
import { inTransaction, type Transaction } from '#src/database/transaction.ts';
import { noSuchGuild, ownedGuild } from '#src/guilds/guilds.ts';
import { LIFETIMES, type Lifetime, MOST_TOKENS_PER_GUILD, type TokenView, viewToken } from './token-view.ts';

/** A token together with its secret, which is shown this once. */
export interface IssuedToken {
  readonly token: TokenView;
  readonly secret: string;
}

export interface NewToken {
  readonly guildId: string;
  readonly name: string;
  readonly kind: TokenKind;
  /** Default: all that the issuer holds. Capabilities that the issuer does not hold are left out. */
  readonly capabilities?: readonly Capability[] | undefined;
  readonly expiresIn: Lifetime;
  readonly ipAllowlist: readonly string[];
  /** The client that gets it through the device flow. */
  readonly clientId?: string | undefined;
}

/**
 * Mints a token for a guild that the user owns. Only the hash of its secret is stored (spec §2).
 *
 * @throws ApiError as {@link ownedGuild}; FORBIDDEN GUILD_NOT_PAID or TOKEN_LIMIT.
 */
export async function mintToken(db: Database, call: DashboardCall, wanted: NewToken): Promise<IssuedToken> {
  const guild = await ownedGuild(db, wanted.guildId, call.userId, { needsMirror: true });
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
    sql.text.orNull,
  ],
  columns: { id: sql.text },
  text: `INSERT INTO tokens (guild_id, issuer_id, name, kind, secret_hash, secret_last_four, capabilities, ip_allowlist,
      lifetime_days, client_id, created_at, expires_at)
    SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9::int, $10, moment, moment + make_interval(days => $9::int)
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
    wanted.clientId ?? null,
  ]);
  const token = await viewToken(tx, id);
  await recordToken(tx, call, token, 'tokens.create', {
    kind: token.kind,
    capabilities: token.capabilities,
    expires_at: token.expiresAt?.toISOString() ?? null,
    ip_allowlist: token.ipAllowlist,
    ...(token.clientId === null ? {} : { client_id: token.clientId }),
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
  if (guild === null) throw noSuchGuild();
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

/** Records a change of a token and tells its open pages, in the same transaction. */
export async function recordToken(
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

/** A new secret of 240 random bits. */
export function newSecret(): string {
  return secretFromBytes(randomBytes(SECRET_BYTES));
}
