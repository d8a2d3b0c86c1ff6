-- after: functions/address_is_allowed, functions/granted_to, functions/heartbeat_is_fresh, views/live_guilds
-- The guard of reads over tokens: the first check that refuses each call, or null. The checks and their order are those
-- of TOKEN_CHECKS in packages/engine/src/calls/authorize.ts, and a test compares the two. A call has the number of its
-- place in the arrays. p_capability is what the operation needs; null if it needs none.
--
-- The planner folds this function into the statement that asks.
CREATE OR REPLACE FUNCTION admit_reads(
  p_hashes bytea[], p_addresses text[], p_guild_ids text[], p_capability text
) RETURNS TABLE (call_no int, refused_at text, guild_id text, token_id text, user_id text, used_lately boolean)
LANGUAGE sql STABLE AS $$
  SELECT call.no::int,
    CASE
      WHEN t.id IS NULL THEN 'token'
      WHEN NOT address_is_allowed(t.ip_allowlist, call.address) THEN 'address'
      WHEN t.revoked_at IS NOT NULL THEN 'revoked'
      WHEN t.expires_at <= clock_timestamp() THEN 'expired'
      WHEN call.guild_id IS DISTINCT FROM t.guild_id THEN 'guild'
      WHEN t.tier = 'free' THEN 'tier'
      WHEN NOT t.mirror_fresh THEN 'mirror'
      WHEN p_capability IS NULL THEN NULL
      WHEN NOT p_capability = ANY (t.capabilities) THEN 'capability'
      WHEN t.owner_id = t.issuer_id THEN NULL
      WHEN NOT EXISTS (
        SELECT FROM granted_to(t.guild_id, t.issuer_id) AS granted WHERE p_capability = ANY (granted.capabilities)
      ) THEN 'capability'
    END,
    t.guild_id, t.id, t.issuer_id, coalesce(t.last_used_at > clock_timestamp() - interval '1 minute', false)
  FROM unnest(p_hashes, p_addresses, p_guild_ids) WITH ORDINALITY AS call (hash, address, guild_id, no)
  LEFT JOIN LATERAL (
    SELECT token.*, g.tier, g.owner_id, g.mirror_fresh
    FROM tokens token JOIN live_guilds g ON g.id = token.guild_id
    WHERE token.secret_hash = call.hash
      OR (token.previous_secret_hash = call.hash AND token.previous_secret_expires_at > clock_timestamp())
    LIMIT 1
  ) AS t ON true
$$;
