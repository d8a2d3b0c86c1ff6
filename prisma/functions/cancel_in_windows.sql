-- after: functions/settle_action
-- Cancels the actions that these windows admitted and that no worker has taken up. Returns how many.
CREATE OR REPLACE FUNCTION cancel_in_windows(p_window_ids text[]) RETURNS int LANGUAGE sql AS $$
  SELECT count(*)::int FROM (
    SELECT settle_action(id, 'cancelled', NULL,
      '{"code": "RE_AUTH_REQUIRED", "message": "The window was closed before this was done."}') AS cancelled
    FROM actions WHERE state = 'pending' AND window_id = ANY (p_window_ids)) AS tried
  WHERE cancelled
$$;
