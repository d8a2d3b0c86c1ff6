-- after: functions/settle_action
-- Cancels the actions that these windows admitted and that no worker has taken up. Their callers are told what the
-- worker would have told them. Returns how many.
CREATE OR REPLACE FUNCTION cancel_in_windows(p_window_ids text[]) RETURNS int LANGUAGE sql AS $$
  SELECT count(*)::int FROM (
    SELECT settle_action(a.id, 'cancelled', NULL, CASE WHEN t.revoked_at IS NULL
        THEN '{"code": "RE_AUTH_REQUIRED", "message": "The window was closed before this was done."}'::jsonb
        ELSE '{"code": "TOKEN_REVOKED", "message": "The token was revoked before this was done."}'
      END) AS cancelled
    FROM actions a JOIN tokens t ON t.id = a.token_id
    WHERE a.state = 'pending' AND a.window_id = ANY (p_window_ids)) AS tried
  WHERE cancelled
$$;
