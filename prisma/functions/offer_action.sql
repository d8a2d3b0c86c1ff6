-- Adds the job that performs an action. The bot learns from it whose turn it is, without reading the action. In a named
-- queue only one runs at a time, over all processes.
CREATE OR REPLACE FUNCTION offer_action(p_action_id text, p_queue text) RETURNS void LANGUAGE sql AS $$
  SELECT graphile_worker.add_job(
    CASE WHEN p_queue IS NULL THEN 'perform' ELSE 'perform_in_queue' END,
    json_build_object('action_id', id, 'guild_id', guild_id, 'operation', operation,
      'person', CASE WHEN target_type = 'user' THEN target_id END),
    queue_name => p_queue, max_attempts => 1)
  FROM actions WHERE id = p_action_id
$$;
