import { ActorSource, type Database, GuildTier, type RowOf, sql, TierSource } from '@bailiff/prisma';
import { inTransaction, type Transaction } from '#src/database/transaction.ts';
import { revokeTokens } from '#src/tokens/revocations.ts';

/** What a change of a guild's tier did. */
export interface TierChange {
  readonly guildName: string;
  readonly before: GuildTier;
  /** Ids of the tokens that fell with the tier. */
  readonly revoked: readonly string[];
}

const LOCKED_GUILD = {
  id: sql.text,
  name: sql.text,
  tier: sql.oneOf({ GuildTier }),
  tier_source: sql.oneOf({ TierSource }),
  entitlement_id: sql.text.orNull,
};
type LockedGuild = RowOf<typeof LOCKED_GUILD>;

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
  const guilds = await db.prisma.guild.findMany({
    where: {
      tierSource: 'entitlement',
      entitlementId: { not: null },
      ...(guildId === undefined ? {} : { id: guildId }),
    },
    select: { id: true, entitlementId: true },
  });
  return new Map(guilds.map(({ id, entitlementId }) => [id, entitlementId ?? '']));
}

/** Of one run; more follow in the next. */
const MOST_MOVED = 500;

/** Moves guilds whose tier comes from nowhere else to `DEFAULT_TIER`, which may have changed since. */
export async function applyDefaultTier(db: Database, defaultTier: GuildTier): Promise<TierChange[]> {
  const guilds = await db.prisma.guild.findMany({
    where: { tierSource: 'default', tier: { not: defaultTier } },
    select: { id: true },
    orderBy: { id: 'asc' },
    take: MOST_MOVED,
  });
  const changes: TierChange[] = [];
  for (const { id } of guilds) {
    const change = await inTransaction(db, async (tx) => {
      const guild = await lockGuild(tx, id);
      const isMoved = guild?.tier_source === 'default' && guild.tier !== defaultTier;
      return isMoved ? moveTo(tx, guild, defaultTier, 'default') : null;
    });
    if (change !== null) changes.push(change);
  }
  return changes;
}

const lockTokensOfGuild = sql.command({
  parameters: [sql.text],
  text: 'SELECT FROM tokens WHERE guild_id = $1 AND revoked_at IS NULL ORDER BY id FOR UPDATE',
});

const lockGuildRow = sql.statement({
  parameters: [sql.text],
  columns: LOCKED_GUILD,
  text: 'SELECT id, name, tier, tier_source, entitlement_id FROM guilds WHERE id = $1 FOR UPDATE',
});

/** The guild's tokens are locked before it, as a call locks them, so that neither waits for the other. */
async function lockGuild(tx: Transaction, guildId: string): Promise<LockedGuild | null> {
  await lockTokensOfGuild.run(tx, [guildId]);
  return lockGuildRow.first(tx, [guildId]);
}

const auditTier = sql.command({
  parameters: [sql.text, sql.oneOf({ ActorSource }), sql.jsonb<object>()],
  text: `INSERT INTO audit (guild_id, actor_source, operation, target_type, target_id, outcome, details)
    VALUES ($1, $2, 'guilds.tier', 'guild', $1, 'performed', $3)`,
});

async function moveTo(
  tx: Transaction,
  guild: LockedGuild,
  tier: GuildTier,
  source: Source,
): Promise<TierChange> {
  const entitlementId = typeof source === 'object' ? source.entitlementId : null;
  const by: Extract<ActorSource, 'system' | 'operator'> = source === 'operator' ? 'operator' : 'system';
  await tx.prisma.guild.update({
    where: { id: guild.id },
    data: { tier, tierSource: typeof source === 'object' ? 'entitlement' : source, entitlementId },
    select: { id: true },
  });
  const details = { tier, ...(entitlementId === null ? {} : { entitlement_id: entitlementId }) };
  await auditTier.run(tx, [guild.id, by, details]);
  const revoked = tier === 'free' ? await revokeTokens(tx, { guildId: guild.id }, 'tier_lost', by) : [];
  return { guildName: guild.name, before: guild.tier, revoked };
}
