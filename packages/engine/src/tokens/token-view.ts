import { type Capability, inTableOrder } from '@bailiff/core';
import { type Database, RevokedReason, type RowOf, sql, TokenKind } from '@bailiff/prisma';
import type { Transaction } from '#src/database/transaction.ts';
import { ownedGuild } from '#src/guilds/guilds.ts';

/** Lifetimes of a token in days. Null: it never expires (spec §2). */
export const LIFETIMES = { '7d': 7, '30d': 30, '90d': 90, never: null } as const;
export type Lifetime = keyof typeof LIFETIMES;
export const LIFETIME_NAMES = Object.keys(LIFETIMES) as readonly Lifetime[];
export const DEFAULT_LIFETIME: Lifetime = '90d';

/** Most tokens of a guild that are not revoked. Expired tokens count (decisions: Tokens in the dashboard). */
export const MOST_TOKENS_PER_GUILD = 25;

export type TokenState = 'active' | 'expired' | 'revoked';

/** A token as its owner sees it; the secret is not in it. */
export interface TokenView {
  readonly id: string;
  readonly guildId: string;
  readonly issuerId: string;
  readonly name: string;
  readonly kind: TokenKind;
  /** The client that got it through the device flow; null if the owner minted it in the dashboard. */
  readonly clientId: string | null;
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
  /** Whether its calls ask the owner for no approval. */
  readonly isMuted: boolean;
  readonly revokedAt: Date | null;
  readonly revokedReason: RevokedReason | null;
  readonly window: { readonly id: string; readonly expiresAt: Date } | null;
}

const namesOfGuild = sql.statement({
  parameters: [sql.text],
  columns: { id: sql.text, name: sql.text, created_at: sql.timestamptz },
  text: `SELECT id, name, created_at FROM tokens WHERE guild_id = $1 ORDER BY id DESC LIMIT 100`,
});

/** The names of a guild's latest tokens, newest first, also of revoked ones. Equal names are told apart by their time. */
export async function tokenNames(
  { pool }: Pick<Database, 'pool'>,
  guildId: string,
): Promise<{ id: string; name: string }[]> {
  const rows = await namesOfGuild.all(pool, [guildId]);
  const isAlone = (name: string) => rows.filter((row) => row.name === name).length === 1;
  return rows.map(({ id, name, created_at }) => ({
    id,
    name: isAlone(name) ? name : `${name} (${created_at.toISOString().slice(0, 16).replace('T', ' ')})`,
  }));
}

const TOKEN = {
  id: sql.text,
  guild_id: sql.text,
  issuer_id: sql.text,
  name: sql.text,
  kind: sql.oneOf({ TokenKind }),
  client_id: sql.text.orNull,
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
  is_muted: sql.bool,
  revoked_at: sql.timestamptz.orNull,
  revoked_reason: sql.oneOf({ RevokedReason }).orNull,
  window_id: sql.text.orNull,
  window_expires_at: sql.timestamptz.orNull,
};

/** SQL of the present state of a row `t` of the tokens. */
export const TOKEN_STATE = `CASE WHEN t.revoked_at IS NOT NULL THEN 'revoked'
  WHEN t.expires_at <= clock_timestamp() THEN 'expired' ELSE 'active' END`;

const TOKEN_COLUMNS = `t.id, t.guild_id, t.issuer_id, t.name, t.kind, t.client_id, t.secret_last_four, t.capabilities,
  t.ip_allowlist, t.created_at, t.expires_at, t.rotated_at, t.rotation_required_at, t.rotation_warning_dismissed_at,
  t.last_used_at, t.muted_at IS NOT NULL AS is_muted, t.revoked_at, t.revoked_reason,
  w.id AS window_id, w.expires_at AS window_expires_at,
  CASE WHEN t.previous_secret_expires_at > clock_timestamp() THEN t.previous_secret_expires_at END
    AS previous_secret_expires_at,
  ${TOKEN_STATE} AS state`;

const WITH_WINDOW = `LEFT JOIN LATERAL (
  SELECT id, expires_at FROM windows
  WHERE token_id = t.id AND digest IS NULL AND window_is_open(opened_at, expires_at, closed_at)
  ORDER BY id DESC LIMIT 1) AS w ON true`;

/** Revoked tokens are kept, and nothing else bounds how many a guild has had. */
export const MOST_REVOKED_LISTED = 100;

const tokensOfGuild = sql.statement({
  parameters: [sql.text],
  columns: TOKEN,
  text: `SELECT ${TOKEN_COLUMNS} FROM (
      SELECT * FROM tokens WHERE guild_id = $1 AND revoked_at IS NULL
      UNION ALL
      (SELECT * FROM tokens WHERE guild_id = $1 AND revoked_at IS NOT NULL
       ORDER BY id DESC LIMIT ${MOST_REVOKED_LISTED})) AS t ${WITH_WINDOW} ORDER BY t.id DESC`,
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
    clientId: row.client_id,
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
    isMuted: row.is_muted,
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
    client_id: token.clientId,
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
    is_muted: token.isMuted,
    revoked_at: token.revokedAt?.toISOString() ?? null,
    revoked_reason: token.revokedReason,
    window: token.window && { window_id: token.window.id, expires_at: token.window.expiresAt.toISOString() },
  };
}

export type TokenWire = ReturnType<typeof tokenWire>;

/**
 * A guild's tokens, newest first. Expired tokens stay in the list, and of the revoked ones the newest
 * {@link MOST_REVOKED_LISTED}.
 *
 * @throws ApiError as {@link ownedGuild}.
 */
export async function listTokens(db: Database, userId: string, guildId: string): Promise<TokenView[]> {
  await ownedGuild(db, guildId, userId, { needsMirror: false });
  return (await tokensOfGuild.all(db.pool, [guildId])).map(viewOf);
}

/** A token as it is now, within a transaction. */
export async function viewToken(tx: Transaction, tokenId: string): Promise<TokenView> {
  return viewOf(await tokenById.only(tx, [tokenId]));
}
