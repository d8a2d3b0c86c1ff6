-- after: functions/window_is_open
-- Whether a window is open that admits every destructive call of a token, so that its requests need no decision.
CREATE OR REPLACE FUNCTION has_open_window(p_token_id text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM windows
    WHERE token_id = p_token_id AND digest IS NULL AND window_is_open(opened_at, expires_at, closed_at))
$$;
