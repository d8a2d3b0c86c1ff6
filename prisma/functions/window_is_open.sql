-- after: functions/window_is_over
-- Whether a window is open, so that destructive calls are admitted (spec §6). This is the only definition of the rule;
-- statements of engine and apps call it too. Code that closes windows uses window_is_over, because it must also close
-- windows that have not begun.
CREATE OR REPLACE FUNCTION window_is_open(
  p_opened_at timestamptz, p_expires_at timestamptz, p_closed_at timestamptz
) RETURNS boolean LANGUAGE sql AS $$
  SELECT NOT window_is_over(p_expires_at, p_closed_at)
    -- A window opened in the future is from before the database's clock went back; it has not begun (hazards H10).
    AND p_opened_at <= statement_timestamp() + interval '1 second'
$$;
