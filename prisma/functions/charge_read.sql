-- Spends the budgets for a read by a token and writes its audit row, in one statement. If p_touch is true, it also
-- updates the token's last use. Returns the row of spend_budgets.
--
-- The row may be lost if the machine stops within the next moments (synchronous_commit off). That is
-- accepted for reads (decisions: Audit).
CREATE OR REPLACE FUNCTION charge_read(
  p_guild_id text, p_token_id text, p_token_name text, p_user_id text, p_capacity float8, p_refill_per_minute float8,
  p_touch boolean, p_operation text, p_target_type text, p_target_id text, p_request_id text, p_address text,
  p_digest text,
  OUT refused_by text, OUT retry_after_seconds float8, OUT token_balance float8, OUT user_balance float8
) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  SELECT * INTO refused_by, retry_after_seconds, token_balance, user_balance
  FROM spend_budgets(p_guild_id, p_token_id, p_user_id, 'read', p_capacity, p_refill_per_minute);
  IF refused_by IS NOT NULL THEN
    RETURN;
  END IF;
  IF p_touch THEN
    PERFORM touch_token(p_token_id);
  END IF;
  INSERT INTO audit (is_read, guild_id, actor_source, actor_user_id, token_id, token_name, operation,
                     target_type, target_id, outcome, request_id, address, digest)
  VALUES (true, p_guild_id, 'token', p_user_id, p_token_id, p_token_name, p_operation,
          p_target_type, p_target_id, 'performed', p_request_id, p_address, p_digest);
END
$$;
