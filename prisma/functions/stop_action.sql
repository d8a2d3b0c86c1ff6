-- Asks a long action to stop before its next step, for whoever was admitted to act in this transaction (see acting).
-- Its next stretch of work, which ends it, begins at once if nobody works on it. Does nothing if it has ended or was
-- asked before. In the web process that must be somebody who has a say in the guild.
CREATE OR REPLACE FUNCTION stop_action(p_action_id text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  hand record;
  stopped actions;
BEGIN
  SELECT * INTO hand FROM acting();
  IF is_web(session_user) AND NOT owns_or_moderates(hand.guild_id, hand.user_id) THEN
    RAISE EXCEPTION 'The web process stops actions only for who has a say in their guild.'
      USING ERRCODE = 'insufficient_privilege';
  END IF;
  UPDATE actions SET stopped_by = hand.user_id
  WHERE id = p_action_id AND guild_id = hand.guild_id AND state IN ('pending', 'running') AND stopped_by IS NULL
  RETURNING * INTO stopped;
  IF stopped.id IS NULL THEN
    RETURN;
  END IF;
  IF stopped.state = 'running' AND stopped.worker IS NULL THEN
    PERFORM graphile_worker.add_job('continue_action', json_build_object('action_id', stopped.id),
      job_key => 'continue_action:' || stopped.id);
  END IF;
  PERFORM tell('progress', stopped.guild_id, jsonb_build_object('id', stopped.id, 'progress', stopped.progress));
END
$$;
