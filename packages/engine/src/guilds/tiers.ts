import type { ActorSource } from '@bailiff/core';
import type { Database } from '@bailiff/prisma';
import type { GuildTier } from '#src/calls/admission.ts';
import { inTransaction, type Transaction } from '#src/database/transaction.ts';
import { revokeTokens } from '#src/tokens/revocations.ts';

/** What a change of a guild's tier did. */
export interface TierChange {
  readonly guildName: string;
  readonly before: GuildTier;
  /** Ids of the tokens that fell with the tier. */
  readonly revoked: readonly string[];
}

interface LockedGuild {
  readonly id: string;
  readonly name: string;
  readonly tier: GuildTier;
  readonly tier_source: 'default' | 'entitlement' | 'operator';
  readonly entitlement_id: string | null;
}

/** Where a guild's tier comes from; of an entitlement, from which. */
type Source = 'operator' | 'default' | { readonly entitlementId: string };

/**
 * Sets a guild's tier by the operator's word, which stands against entitlements and `DEFAULT_TIER`. A guild that falls
 * to `free` loses its tokens at once, in the same transaction (spec §3; decisions: Guild tiers). Null when Bailiff does
 * not know the guild.
 */
export function setTier(db: Database, guildId: string, tier: GuildTier): Promise<TierChange | null> {
  return inTransaction(db, async (tx) => {
    const guild = await lockGuild(tx, guildId);
    return guild === null ? null : moveTo(tx, guild, tier, 'operator');
  });
}

/**
 * Makes a guild `pro`, because Discord says that it has this entitlement. What the operator set stays.
 *
 * @returns null when nothing changed, or Bailiff does not know the guild
 */
export function entitleGuild(
  db: Database,
  guildId: string,
  entitlementId: string,
): Promise<TierChange | null> {
  return inTransaction(db, async (tx) => {
    const guild = await lockGuild(tx, guildId);
    if (guild === null || guild.tier_source === 'operator' || guild.entitlement_id === entitlementId)
      return null;
    return moveTo(tx, guild, 'pro', { entitlementId });
  });
}

/**
 * Takes from a guild the tier that this entitlement gave it, because Discord says that it has ended; the guild is back
 * at `DEFAULT_TIER`.
 *
 * @returns null when the guild had its tier from elsewhere
 */
export function disentitleGuild(
  db: Database,
  guildId: string,
  entitlementId: string,
  defaultTier: GuildTier,
): Promise<TierChange | null> {
  return inTransaction(db, async (tx) => {
    const guild = await lockGuild(tx, guildId);
    if (guild?.tier_source !== 'entitlement' || guild.entitlement_id !== entitlementId) return null;
    return moveTo(tx, guild, defaultTier, 'default');
  });
}

/** Guilds whose tier comes from an entitlement, all or this one, with the entitlement that each has. */
export async function entitledGuilds(db: Database, guildId?: string): Promise<Map<string, string>> {
  const { rows } = await db.pool.query<{ id: string; entitlement_id: string }>(
    `SELECT id, entitlement_id FROM guilds
     WHERE tier_source = 'entitlement' AND entitlement_id IS NOT NULL AND id = coalesce($1, id)`,
    [guildId ?? null],
  );
  return new Map(rows.map((row) => [row.id, row.entitlement_id]));
}

/** Of one run; more follow in the next. */
const MOST_MOVED = 500;

/** Moves guilds whose tier comes from nowhere else to `DEFAULT_TIER`, which may have changed since. */
export async function applyDefaultTier(db: Database, defaultTier: GuildTier): Promise<TierChange[]> {
  const { rows } = await db.pool.query<{ id: string }>(
    `SELECT id FROM guilds WHERE tier_source = 'default' AND tier <> $1::"GuildTier" ORDER BY id LIMIT $2`,
    [defaultTier, MOST_MOVED],
  );
  const changes: TierChange[] = [];
  for (const { id } of rows) {
    const change = await inTransaction(db, async (tx) => {
      const guild = await lockGuild(tx, id);
      const isMoved = guild?.tier_source === 'default' && guild.tier !== defaultTier;
      return isMoved ? moveTo(tx, guild, defaultTier, 'default') : null;
    });
    if (change !== null) changes.push(change);
  }
  return changes;
}

/** Its tokens are locked before it, as a call locks them, so that neither waits for the other. */
async function lockGuild(tx: Transaction, guildId: string): Promise<LockedGuild | null> {
  await tx.query('SELECT FROM tokens WHERE guild_id = $1 AND revoked_at IS NULL ORDER BY id FOR UPDATE', [
    guildId,
  ]);
  const { rows } = await tx.query<LockedGuild>(
    'SELECT id, name, tier, tier_source, entitlement_id FROM guilds WHERE id = $1 FOR UPDATE',
    [guildId],
  );
  return rows[0] ?? null;
}

async function moveTo(
  tx: Transaction,
  guild: LockedGuild,
  tier: GuildTier,
  source: Source,
): Promise<TierChange> {
  const entitlementId = typeof source === 'object' ? source.entitlementId : null;
  const by: Extract<ActorSource, 'system' | 'operator'> = source === 'operator' ? 'operator' : 'system';
  await tx.query(
    `UPDATE guilds SET tier = $2::"GuildTier", tier_source = $3::"TierSource", entitlement_id = $4 WHERE id = $1`,
    [guild.id, tier, typeof source === 'object' ? 'entitlement' : source, entitlementId],
  );
  await tx.query(
    `INSERT INTO audit (guild_id, actor_source, operation, target_type, target_id, outcome, details)
     VALUES ($1, $2, 'guilds.tier', 'guild', $1, 'performed', $3)`,
    [
      guild.id,
      by,
      JSON.stringify({ tier, ...(entitlementId === null ? {} : { entitlement_id: entitlementId }) }),
    ],
  );
  const revoked = tier === 'free' ? await revokeTokens(tx, { guildId: guild.id }, 'tier_lost', by) : [];
  return { guildName: guild.name, before: guild.tier, revoked };
}
