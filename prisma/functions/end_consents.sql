-- Ends what owners allowed at the moment of a backup: open windows, calls that were allowed once, and requests that wait.
-- What was closed or used up since would be open again. For operators, before a restored database is used.
--
-- after: functions/end_windows
CREATE OR REPLACE FUNCTION end_consents() RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  ended text[];
BEGIN
  SELECT closed INTO ended FROM end_windows(ARRAY(SELECT id FROM tokens), NULL);
  INSERT INTO audit (guild_id, actor_source, token_id, token_name, operation, target_type, target_id, outcome, details)
  SELECT t.guild_id, 'operator', t.id, t.name, 'windows.close', 'token', t.id, 'performed',
    jsonb_build_object('window_ids', jsonb_agg(w.id))
  FROM windows w JOIN tokens t ON t.id = w.token_id
  WHERE w.id = ANY (ended) GROUP BY t.id;
  -- Decided ones too: a request waits again if what it allowed does not happen (settle_action).
  UPDATE approval_requests SET expires_at = now() WHERE expires_at > now();
END
$$;
