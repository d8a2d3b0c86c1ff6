import { type Database, sql } from '@bailiff/prisma';
import { inTransaction } from '#src/database/transaction.ts';
import { revokeTokens } from './revocations.ts';

/**
 * How long the intersection of snapshot and live capabilities must be empty, without a break, before its token is
 * revoked (spec §8).
 */
const GRACE_HOURS = 24;
/** After a longer silence of the mirror, a break cannot be ruled out, so the grace period starts again. */
const LONGEST_SILENCE_MINUTES = 60;
/** Most in one run. The next run continues. */
const MOST_REVOKED = 1_000;

// Tokens of the guild's owner, which are nearly all tokens, never lose anything, so only an index is read for those.
// Guilds with a mirror that cannot be trusted are skipped: what it says may be an outage (hazards H22). Locked rows are
// left to the next run. A timeout ends by itself, so here it takes nothing from anybody.
const judgeTokens = sql.statement({
  parameters: [sql.int, sql.int, sql.bigint],
  columns: { id: sql.text },
  text: `WITH strangers AS (
    SELECT DISTINCT t.guild_id, t.issuer_id FROM tokens t JOIN guilds g ON g.id = t.guild_id
    WHERE t.revoked_at IS NULL AND t.issuer_id <> g.owner_id
  ), suspects AS (
    SELECT t.id FROM strangers JOIN tokens t USING (guild_id, issuer_id) WHERE t.revoked_at IS NULL
    UNION SELECT id FROM tokens WHERE capability_lost_at IS NOT NULL AND revoked_at IS NULL
  ), judged AS (
    SELECT t.id, t.issuer_id <> g.owner_id AND NOT EXISTS (
      SELECT FROM members m
      JOIN role_grants r ON r.guild_id = m.guild_id AND grant_reaches(r, m.role_ids)
      WHERE m.guild_id = t.guild_id AND m.user_id = t.issuer_id AND r.capabilities && t.capabilities) AS lost
    FROM suspects JOIN tokens t USING (id) JOIN live_guilds g ON g.id = t.guild_id
    WHERE g.mirror_fresh
  ), held AS (
    SELECT t.id, judged.lost FROM tokens t JOIN judged ON judged.id = t.id
    WHERE judged.lost OR t.capability_lost_at IS NOT NULL FOR UPDATE OF t SKIP LOCKED
  ), marked AS (
    UPDATE tokens t SET
      capability_lost_at = CASE
        WHEN NOT held.lost THEN NULL
        WHEN t.capability_lost_seen_at < clock_timestamp() - make_interval(mins => $2) THEN clock_timestamp()
        ELSE coalesce(t.capability_lost_at, clock_timestamp()) END,
      capability_lost_seen_at = CASE WHEN held.lost THEN clock_timestamp() END
    FROM held WHERE t.id = held.id
    RETURNING t.id, t.capability_lost_at
  )
  SELECT id FROM marked WHERE capability_lost_at <= clock_timestamp() - make_interval(hours => $1) LIMIT $3`,
});

/**
 * Records which tokens have lost or regained all their capabilities, and revokes those without any for a whole day
 * (decisions: Capabilities).
 *
 * @returns ids of the revoked tokens
 */
export function sweepLostCapabilities(db: Database): Promise<string[]> {
  return inTransaction(db, async (tx) => {
    const rows = await judgeTokens.all(tx, [GRACE_HOURS, LONGEST_SILENCE_MINUTES, MOST_REVOKED]);
    if (rows.length === 0) return [];
    return revokeTokens(tx, { tokenIds: rows.map(({ id }) => id) }, 'capabilities_lost', 'system');
  });
}
