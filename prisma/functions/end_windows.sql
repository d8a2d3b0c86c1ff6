-- after: functions/cancel_in_windows
-- Closes the open windows of these tokens, or only one of them, and cancels what they admitted and nobody has begun. A
-- window that admitted one call is closed already, and the call may not have been taken up.
-- Returns the ids of those that were open, and how many calls were cancelled.
CREATE OR REPLACE FUNCTION end_windows(
  p_token_ids text[], p_window_id text, OUT closed text[], OUT cancelled int
) LANGUAGE plpgsql AS $$
DECLARE
  running text[] := ARRAY(SELECT id FROM windows
                          WHERE token_id = ANY (p_token_ids) AND (p_window_id IS NULL OR id = p_window_id)
                            AND expires_at > clock_timestamp());
BEGIN
  WITH ended AS (
    UPDATE windows SET closed_at = clock_timestamp()
    WHERE id = ANY (running) AND NOT window_is_over(expires_at, closed_at) RETURNING id)
  SELECT coalesce(array_agg(id), '{}') INTO closed FROM ended;
  cancelled := cancel_in_windows(running);
END
$$;
