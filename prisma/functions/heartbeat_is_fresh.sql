-- Whether a shard of the bot is connected: its last heartbeat is at most 60 s old (decisions: Capabilities). False
-- without a heartbeat.
CREATE OR REPLACE FUNCTION heartbeat_is_fresh(p_heartbeat_at timestamptz) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT coalesce(
    -- A heartbeat in the future is from before the clock went back, so it does not count.
    p_heartbeat_at BETWEEN now() - interval '60 seconds' AND now() + interval '60 seconds', false)
$$;
