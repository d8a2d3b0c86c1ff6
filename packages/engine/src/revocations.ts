import type { ActorSource } from '@bailiff/core';
import { tell } from './dashboard-call.ts';
import type { Transaction } from './transaction.ts';

/** Why tokens are revoked without their guild's owner asking for it (spec §3). */
export type AutomaticReason = 'issuer_left' | 'tier_lost';

/**
 * Revokes a guild's tokens, all of them or those of one issuer, for good, with an audit row each.
 *
 * @returns ids of the tokens that were live until now
 */
export async function revokeTokens(
  tx: Transaction,
  of: { guildId: string; issuerId?: string },
  reason: AutomaticReason,
  source: Extract<ActorSource, 'system' | 'operator'>,
): Promise<string[]> {
  const { rows } = await tx.query<{ id: string; name: string }>(
    `UPDATE tokens SET revoked_at = clock_timestamp(), revoked_reason = $3
     WHERE guild_id = $1 AND issuer_id = coalesce($2, issuer_id) AND revoked_at IS NULL RETURNING id, name`,
    [of.guildId, of.issuerId ?? null, reason],
  );
  for (const { id, name } of rows) {
    await tx.query(
      `INSERT INTO audit (guild_id, actor_source, actor_user_id, token_id, token_name, operation, target_type,
         target_id, outcome, details)
       VALUES ($1, $2, NULL, $3, $4, 'tokens.revoke', 'token', $3, 'performed', jsonb_build_object('reason', $5::text))`,
      [of.guildId, source, id, name, reason],
    );
    await tell(tx, 'token', of.guildId, { id });
    await tell(tx, 'audit', of.guildId);
  }
  return rows.map(({ id }) => id);
}
