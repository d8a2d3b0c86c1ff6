-- Ends what owners allowed at the moment of a backup: open windows, calls that were allowed once, and requests that wait.
-- What was closed or used up since would be open again. For operators, before a restored database is used.
--
-- after: functions/end_windows
CREATE OR REPLACE FUNCTION end_consents() RETURNS void LANGUAGE sql SET search_path FROM CURRENT AS $$
  SELECT end_windows(ARRAY(SELECT id FROM tokens), NULL);
  -- Decided ones too: a request waits again if what it allowed does not happen (settle_action).
  UPDATE approval_requests SET expires_at = now() WHERE expires_at > now();
$$;
