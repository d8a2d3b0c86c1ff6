-- Guilds, and whether the mirror of each can be trusted: it was compared with Discord since its session began, and the
-- shard's heartbeat is fresh (decisions: Capabilities). `mirror_state` says what a guild that cannot be trusted waits for.
-- A view, so that the planner folds it into the query that asks.
CREATE OR REPLACE VIEW live_guilds AS
  SELECT g.*, g.left_at IS NULL AND g.mirrored_at IS NOT NULL AND heartbeat_is_fresh(s.heartbeat_at) AS mirror_fresh,
    CASE
      WHEN g.left_at IS NOT NULL THEN 'refused'
      WHEN NOT heartbeat_is_fresh(s.heartbeat_at) THEN 'disconnected'
      WHEN g.mirrored_at IS NOT NULL THEN 'trusted'
      WHEN g.mirror_problem IS NULL THEN 'comparing'
      WHEN g.mirror_problem = 'no_access' THEN 'refused'
      ELSE 'waiting'
    END AS mirror_state
  FROM guilds g LEFT JOIN gateway_shards s ON s.shard_id = g.shard_id;
