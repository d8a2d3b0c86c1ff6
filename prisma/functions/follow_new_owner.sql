-- A trigger: what the previous owner allowed ends with their ownership (decisions: Approval requests).
CREATE OR REPLACE FUNCTION follow_new_owner() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  ended text[];
BEGIN
  SELECT closed INTO ended FROM end_windows(ARRAY(SELECT id FROM tokens WHERE guild_id = NEW.id), NULL);
  INSERT INTO audit (guild_id, actor_source, token_id, token_name, operation, target_type, target_id, outcome, details)
  SELECT NEW.id, 'system', t.id, t.name, 'windows.close', 'token', t.id, 'performed',
    jsonb_build_object('window_ids', jsonb_agg(w.id))
  FROM windows w JOIN tokens t ON t.id = w.token_id
  WHERE w.id = ANY (ended) GROUP BY t.id;
  -- One of a call that is being made waits again if that does not happen (settle_action).
  UPDATE approval_requests SET expires_at = now()
  WHERE guild_id = NEW.id AND state IN ('pending', 'approved_call') AND expires_at > now();
  PERFORM tell('window', NEW.id, '{}');
  RETURN NULL;
END
$$;
