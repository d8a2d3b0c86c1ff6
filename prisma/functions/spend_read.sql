-- Spends the budgets for a read by a token. If p_touch is true, it also updates the token's last use. Returns the row of
-- spend_budgets. The statement that reads also writes the audit row, with record_read.
--
-- Both may be lost if the machine stops within the next moments (synchronous_commit off). That is accepted for reads
-- (decisions: Audit).
CREATE OR REPLACE FUNCTION spend_read(
  p_guild_id text, p_token_id text, p_user_id text, p_capacity float8, p_refill_per_minute float8, p_touch boolean,
  OUT refused_by text, OUT retry_after_seconds float8, OUT token_balance float8, OUT user_balance float8
) LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  SELECT * INTO refused_by, retry_after_seconds, token_balance, user_balance
  FROM spend_budgets(p_guild_id, p_token_id, p_user_id, 'read', p_capacity, p_refill_per_minute);
  IF refused_by IS NULL AND p_touch THEN
    PERFORM touch_token(p_token_id);
  END IF;
END
$$;
