-- Notes that a token was used, to the minute: one write per call would make its row hot.
CREATE OR REPLACE FUNCTION touch_token(p_token_id text) RETURNS void LANGUAGE sql AS $$
  UPDATE tokens SET last_used_at = clock_timestamp()
  WHERE id = p_token_id AND (last_used_at IS NULL OR last_used_at < clock_timestamp() - interval '1 minute')
$$;
