-- after: functions/settle_action
-- Cancels the actions that these windows admitted and that no worker has taken up. Their callers are told what the
-- worker would have told them. Returns how many.
--
-- A window that admitted one call is closed already. What is being done of it may certainly not happen; then the window
-- does not open again (settle_action).
CREATE OR REPLACE FUNCTION cancel_in_windows(p_window_ids text[]) RETURNS int
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  UPDATE windows SET closed_at = greatest(clock_timestamp(), closed_at + interval '1 millisecond')
  WHERE id = ANY (p_window_ids) AND digest IS NOT NULL AND closed_at IS NOT NULL;
  SELECT count(*)::int FROM (
    SELECT settle_action(a.id, 'cancelled', NULL, CASE WHEN t.revoked_at IS NULL
        THEN '{"code": "RE_AUTH_REQUIRED", "message": "The window was closed before this was done."}'::jsonb
        ELSE '{"code": "TOKEN_REVOKED", "message": "The token was revoked before this was done."}'
      END) AS cancelled
    FROM actions a JOIN tokens t ON t.id = a.token_id
    WHERE a.state = 'pending' AND a.window_id = ANY (p_window_ids)) AS tried
  WHERE cancelled
$$;
