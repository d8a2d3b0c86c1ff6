-- Records the last use of a token, at most once a minute, because a write for every call would be slow.
CREATE OR REPLACE FUNCTION touch_token(p_token_id text) RETURNS void LANGUAGE sql AS $$
  UPDATE tokens SET last_used_at = clock_timestamp()
  WHERE id = p_token_id AND (last_used_at IS NULL OR last_used_at < clock_timestamp() - interval '1 minute')
$$;
