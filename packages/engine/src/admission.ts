import {
  balanceAt,
  CAPABILITIES,
  type Capability,
  type GUILD_TIERS,
  hashSecret,
  inTableOrder,
  intersect,
  TIERS,
  type Tier,
  type TOKEN_KINDS,
} from '@bailiff/core';
import type { Database } from '@bailiff/prisma';

export type GuildTier = (typeof GUILD_TIERS)[number];
export type TokenKind = (typeof TOKEN_KINDS)[number];

/** Calls left in the two budgets of a tier. */
export interface Balances {
  readonly token: number;
  readonly user: number;
}

/** A token as one call meets it, with everything the guard asks about it. */
export interface AdmittedToken {
  readonly id: string;
  readonly name: string;
  readonly kind: TokenKind;
  readonly secretHash: Buffer;
  readonly issuerId: string;
  readonly issuerName: string | null;
  readonly guild: {
    readonly id: string;
    readonly name: string;
    readonly ownerId: string;
    readonly tier: GuildTier;
  };
  readonly ipAllowlist: readonly string[];
  readonly createdAt: Date;
  readonly rotatedAt: Date | null;
  readonly expiresAt: Date | null;
  readonly revoked: boolean;
  readonly expired: boolean;
  readonly snapshot: readonly Capability[];
  /** snapshot ∩ what the issuer may do now (spec §5.5). */
  readonly capabilities: readonly Capability[];
  /** False when the mirror cannot be trusted, and `capabilities` with it. */
  readonly mirrorFresh: boolean;
  readonly balances: Readonly<Record<Tier, Balances>>;
}

interface AdmissionRow {
  id: string;
  name: string;
  kind: TokenKind;
  issuer_id: string;
  issuer_name: string | null;
  guild_id: string;
  guild_name: string;
  owner_id: string;
  tier: GuildTier;
  capabilities: string[];
  ip_allowlist: string[];
  created_at: Date;
  rotated_at: Date | null;
  expires_at: Date | null;
  revoked: boolean;
  expired: boolean;
  granted: string[];
  mirror_fresh: boolean;
  budgets: { holder: string; tier: Tier; balance: number; age: number }[] | null;
}

/** One round trip: the token with this secret, its guild, its issuer's live capabilities and its budgets. */
export async function admit(db: Database, secret: string): Promise<AdmittedToken | null> {
  const secretHash = hashSecret(secret);
  const { rows } = await db.pool.query<AdmissionRow>({
    name: 'admit',
    text: `SELECT t.id, t.name, t.kind, t.issuer_id, m.username AS issuer_name, t.guild_id, g.name AS guild_name,
        g.owner_id, g.tier, t.capabilities, t.ip_allowlist, t.created_at, t.rotated_at, t.expires_at,
        t.revoked_at IS NOT NULL AS revoked,
        coalesce(t.expires_at <= clock_timestamp(), false) AS expired,
        granted_capabilities(t.guild_id, t.issuer_id) AS granted,
        mirror_is_fresh(g) AS mirror_fresh,
        (SELECT json_agg(json_build_object('holder', b.holder_id, 'tier', b.tier, 'balance', b.balance,
             'age', extract(epoch FROM clock_timestamp() - b.updated_at)))
         FROM budgets b WHERE b.guild_id = t.guild_id AND b.holder_id IN (t.id, t.issuer_id)) AS budgets
      FROM tokens t
      JOIN guilds g ON g.id = t.guild_id
      LEFT JOIN members m ON m.guild_id = t.guild_id AND m.user_id = t.issuer_id
      WHERE t.secret_hash = $1
         OR (t.previous_secret_hash = $1 AND t.previous_secret_expires_at > clock_timestamp())`,
    values: [secretHash],
  });
  const [row] = rows;
  if (row === undefined) return null;
  const snapshot = inTableOrder(row.capabilities);
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    secretHash,
    issuerId: row.issuer_id,
    issuerName: row.issuer_name,
    guild: { id: row.guild_id, name: row.guild_name, ownerId: row.owner_id, tier: row.tier },
    ipAllowlist: row.ip_allowlist,
    createdAt: row.created_at,
    rotatedAt: row.rotated_at,
    expiresAt: row.expires_at,
    revoked: row.revoked,
    expired: row.expired,
    snapshot,
    capabilities: intersect(snapshot, liveCapabilities(row.owner_id, row.issuer_id, row.granted)),
    mirrorFresh: row.mirror_fresh,
    balances: balancesOf(row),
  };
}

/** What a user may do in a guild now: the owner everything, others what their roles were granted. */
export function liveCapabilities(
  ownerId: string,
  userId: string,
  granted: readonly string[],
): readonly Capability[] {
  return userId === ownerId ? CAPABILITIES : inTableOrder(granted);
}

function balancesOf(row: AdmissionRow): Record<Tier, Balances> {
  const left = (holder: string, tier: Tier) => {
    const kept = row.budgets?.find((budget) => budget.holder === holder && budget.tier === tier);
    if (kept === undefined) return TIERS[tier].capacity;
    return balanceAt(tier, { balance: kept.balance, atMs: 0 }, kept.age * 1000);
  };
  const both = (tier: Tier) => ({ token: left(row.id, tier), user: left(row.issuer_id, tier) });
  return {
    read: both('read'),
    reversible_write: both('reversible_write'),
    destructive_write: both('destructive_write'),
  };
}

/** What a person may do in a guild now, for chat and dashboard; null when the guild is unknown. */
export async function liveMember(
  db: Database,
  guildId: string,
  userId: string,
): Promise<{ capabilities: readonly Capability[]; ownerId: string; mirrorFresh: boolean } | null> {
  const { rows } = await db.pool.query<{ owner_id: string; granted: string[]; mirror_fresh: boolean }>({
    name: 'live_member',
    text: `SELECT g.owner_id, granted_capabilities(g.id, $2) AS granted, mirror_is_fresh(g) AS mirror_fresh
           FROM guilds g WHERE g.id = $1`,
    values: [guildId, userId],
  });
  const [row] = rows;
  if (row === undefined) return null;
  return {
    capabilities: liveCapabilities(row.owner_id, userId, row.granted),
    ownerId: row.owner_id,
    mirrorFresh: row.mirror_fresh,
  };
}
