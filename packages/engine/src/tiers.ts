import type { Database } from '@bailiff/prisma';
import type { GuildTier } from './admission.ts';
import { revokeTokens } from './revocations.ts';
import { inTransaction } from './transaction.ts';

/** What an operator's change of a guild's tier did. */
export interface TierChange {
  readonly guildName: string;
  readonly before: GuildTier;
  /** Ids of the tokens that fell with the tier. */
  readonly revoked: readonly string[];
}

/**
 * Sets a guild's tier by the operator's word. A guild that falls to `free` loses its tokens at once, in the same
 * transaction (spec §3; decisions: Guild tiers). Null when Bailiff does not know the guild.
 */
export function setTier(db: Database, guildId: string, tier: GuildTier): Promise<TierChange | null> {
  return inTransaction(db, async (tx) => {
    const { rows } = await tx.query<{ name: string; tier: GuildTier }>(
      'SELECT name, tier FROM guilds WHERE id = $1 FOR UPDATE',
      [guildId],
    );
    const [guild] = rows;
    if (guild === undefined) return null;
    await tx.query("UPDATE guilds SET tier = $2, tier_source = 'operator' WHERE id = $1", [guildId, tier]);
    await tx.query(
      `INSERT INTO audit (guild_id, actor_source, operation, target_type, target_id, outcome, details)
       VALUES ($1, 'operator', 'guilds.tier', 'guild', $1, 'performed', jsonb_build_object('tier', $2::text))`,
      [guildId, tier],
    );
    const revoked = tier === 'free' ? await revokeTokens(tx, { guildId }, 'tier_lost', 'operator') : [];
    return { guildName: guild.name, before: guild.tier, revoked };
  });
}
