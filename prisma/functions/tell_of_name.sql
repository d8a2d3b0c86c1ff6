-- after: functions/tell
-- Notifies pages that the name of a person or channel is known: those with calls that wait for approval, and those with
-- the latest cases, reports and tickets of a person, which were opened before anybody knew it.
CREATE OR REPLACE FUNCTION tell_of_name(p_target_id text) RETURNS void LANGUAGE sql AS $$
  SELECT tell('approval', guild_id, jsonb_build_object('id', id)) FROM approval_requests
  WHERE target_id = p_target_id AND state = 'pending' AND expires_at > now();
  SELECT tell('case', guild_id, '{}') FROM cases
  WHERE user_id = p_target_id AND issued_at > now() - interval '1 hour' GROUP BY guild_id;
  SELECT tell('report', guild_id, '{}') FROM reports
  WHERE p_target_id IN (user_id, reported_by) AND reported_at > now() - interval '1 hour' GROUP BY guild_id;
  SELECT tell('ticket', guild_id, '{}') FROM tickets
  WHERE opened_by = p_target_id AND opened_at > now() - interval '1 hour' GROUP BY guild_id
$$;
