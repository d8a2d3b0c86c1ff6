import { ActorSource, type Database, GuildTier, type RowOf, sql, TierSource } from '@bailiff/prisma';
import { inTransaction, type Transaction } from '#src/database/transaction.ts';
import { revokeTokens } from '#src/tokens/revocations.ts';

/** The result of a change of a guild's tier. */
export interface TierChange {
  readonly guildName: string;
  readonly before: GuildTier;
  /** Ids of the tokens that were revoked because of the change. */
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

/** The source of a guild's tier. For an entitlement, its id. */
type Source = 'operator' | 'default' | { readonly entitlementId: string };

/**
 * Sets a guild's tier for the operator, which overrides entitlements and `DEFAULT_TIER`. A guild that changes to `free`
 * loses its tokens at once, in the same transaction (spec §3; decisions: Guild tiers). Null if Bailiff does not know
 * the guild.
 */
export function setTier(db: Database, guildId: string, tier: GuildTier): Promise<TierChange | null> {
  return inTransaction(db, async (tx) => {
    const guild = await lockGuild(tx, guildId);
    return guild === null ? null : moveTo(tx, guild, tier, 'operator');
  });
}

/**
 * Makes a guild `pro`, because Discord says that it has this entitlement. A tier set by the operator stays.
 *
 * @returns null if nothing changed or Bailiff does not know the guild
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
 * Removes the tier that this entitlement gave a guild, because Discord says that it has ended. The guild returns to
 * `DEFAULT_TIER`.
 *
 * @returns null if the guild's tier has another source
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

/** All guilds whose tier comes from an entitlement, or only the given guild, each with its entitlement. */
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

/** Most in one run. The next run continues. */
const MOST_MOVED = 500;

/** Moves guilds without another source for their tier to `DEFAULT_TIER`, which may have changed. */
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

/** Locks the guild's tokens before the guild, in the same order as a call, so that neither waits for the other. */
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
