-- Guilds, and whether the mirror of each can be trusted: it was compared with Discord since its shard (re)connected, and
-- the shard's heartbeat is fresh (decisions: Capabilities).
-- A view, so that the planner folds it into the query that asks.
CREATE OR REPLACE VIEW live_guilds AS
  SELECT g.*, g.left_at IS NULL AND g.mirrored_at IS NOT NULL AND heartbeat_is_fresh(s.heartbeat_at) AS mirror_fresh
  FROM guilds g LEFT JOIN gateway_shards s ON s.shard_id = g.shard_id;
