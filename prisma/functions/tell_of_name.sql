-- after: functions/tell
-- Notifies pages with calls that wait for approval that the name of their target is known.
CREATE OR REPLACE FUNCTION tell_of_name(p_target_id text) RETURNS void LANGUAGE sql AS $$
  SELECT tell('approval', guild_id, jsonb_build_object('id', id)) FROM approval_requests
  WHERE target_id = p_target_id AND state = 'pending' AND expires_at > now()
$$;
