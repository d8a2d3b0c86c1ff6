-- Offers a pending action to the bots. They hear of it at COMMIT, with whose turn it is, and the first to claim it
-- performs it (apps/bot/src/offers.ts). It needs no job: the action itself is the record that somebody waits. What is done one at
-- a time, in a named queue over all processes, is a job.
CREATE OR REPLACE FUNCTION offer_action(p_action_id text, p_queue text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  offer json;
BEGIN
  SELECT json_build_object('action_id', id, 'guild_id', guild_id, 'operation', operation,
    'person', CASE WHEN target_type = 'user' THEN target_id END, 'is_system', actor_source = 'system')
  INTO offer FROM actions WHERE id = p_action_id;
  IF p_queue IS NULL THEN
    PERFORM pg_notify('bailiff_actions', offer::text);
  ELSE
    PERFORM graphile_worker.add_job('perform_in_queue', offer, queue_name => p_queue, max_attempts => 1);
  END IF;
END
$$;
