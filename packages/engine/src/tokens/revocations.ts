import { ActorSource, RevokedReason, sql } from '@bailiff/prisma';
import { tell } from '#src/calls/dashboard-call.ts';
import type { Transaction } from '#src/database/transaction.ts';

/** Why tokens are revoked without a request from their guild's owner (spec §3). */
export type AutomaticReason = Exclude<RevokedReason, 'owner'>;

/** Which tokens: all of a guild, those of some issuers in it, or exactly these. */
export type RevokedTokens =
  | { readonly guildId: string; readonly issuerIds?: readonly string[] }
  | { readonly tokenIds: readonly string[] };

// One statement, so that every revoked token has its audit row and none of its windows stays open.
const revoke = (which: string) => `WITH revoked AS (
    UPDATE tokens SET revoked_at = clock_timestamp(), revoked_reason = $1::"RevokedReason"
    WHERE revoked_at IS NULL AND ${which} RETURNING id, guild_id, name
  ), closed AS (
    UPDATE windows SET closed_at = clock_timestamp()
    WHERE NOT window_is_over(expires_at, closed_at) AND token_id IN (SELECT id FROM revoked)
  ), recorded AS (
    INSERT INTO audit (guild_id, actor_source, token_id, token_name, operation, target_type, target_id, outcome, details)
    SELECT guild_id, $2::"ActorSource", id, name, 'tokens.revoke', 'token', id, 'performed',
      jsonb_build_object('reason', $1::"RevokedReason")
    FROM revoked
  )
  SELECT id, guild_id FROM revoked`;

const REVOKED = { id: sql.text, guild_id: sql.text };
const reason = sql.oneOf({ RevokedReason });
const source = sql.oneOf({ ActorSource });

const revokeByIds = sql.statement({
  parameters: [reason, source, sql.arrayOf(sql.text)],
  columns: REVOKED,
  text: revoke('id = ANY ($3)'),
});

const revokeInGuild = sql.statement({
  parameters: [reason, source, sql.text, sql.arrayOf(sql.text).orNull],
  columns: REVOKED,
  text: revoke('guild_id = $3 AND ($4::text[] IS NULL OR issuer_id = ANY ($4))'),
});

/**
 * Revokes tokens permanently, with an audit row each. Tokens that are already revoked do not change.
 *
 * @returns ids of the tokens that this call revoked
 */
export async function revokeTokens(
  tx: Transaction,
  which: RevokedTokens,
  reason: AutomaticReason,
  source: Extract<ActorSource, 'system' | 'operator'>,
): Promise<string[]> {
  const rows =
    'tokenIds' in which
      ? await revokeByIds.all(tx, [reason, source, which.tokenIds])
      : await revokeInGuild.all(tx, [reason, source, which.guildId, which.issuerIds ?? null]);
  for (const { id, guild_id } of rows) await tell(tx, 'token', guild_id, { token_id: id });
  return rows.map(({ id }) => id);
}
