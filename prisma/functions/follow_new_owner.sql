-- A trigger: what the previous owner allowed ends with their ownership (decisions: Approval requests).
CREATE OR REPLACE FUNCTION follow_new_owner() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  running text[] := ARRAY(SELECT id FROM windows WHERE guild_id = NEW.id AND expires_at > now());
BEGIN
  WITH closed AS (
    UPDATE windows SET closed_at = clock_timestamp()
    WHERE id = ANY (running) AND NOT window_is_over(expires_at, closed_at)
    RETURNING id, token_id)
  INSERT INTO audit (guild_id, actor_source, token_id, token_name, operation, target_type, target_id, outcome, details)
  SELECT NEW.id, 'system', t.id, t.name, 'windows.close', 'token', t.id, 'performed',
    jsonb_build_object('window_ids', jsonb_agg(closed.id))
  FROM closed JOIN tokens t ON t.id = closed.token_id GROUP BY t.id;
  PERFORM cancel_in_windows(running);
  UPDATE approval_requests SET expires_at = now()
  WHERE guild_id = NEW.id AND state = 'pending' AND expires_at > now();
  PERFORM tell('window', NEW.id, '{}');
  RETURN NULL;
END
$$;
