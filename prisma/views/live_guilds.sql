-- Guilds, and whether the mirror of each can be trusted: it was compared with Discord since its shard (re)connected, and
-- the shard's heartbeat is younger than 60 s (decisions: Capabilities).
-- A view, so that the planner folds it into the query that asks.
CREATE OR REPLACE VIEW live_guilds AS
  SELECT g.*, g.left_at IS NULL AND g.mirrored_at IS NOT NULL
    -- A heartbeat in the future is from before the clock went back, and says nothing.
    AND coalesce(s.heartbeat_at BETWEEN now() - interval '60 seconds' AND now() + interval '60 seconds', false)
    AS mirror_fresh
  FROM guilds g LEFT JOIN gateway_shards s ON s.shard_id = g.shard_id;
