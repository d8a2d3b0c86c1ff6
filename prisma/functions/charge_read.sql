-- Spends the budgets for a read by a token and records it as performed, before it is answered. For processes of the
-- release before spend_read and record_read.
CREATE OR REPLACE FUNCTION charge_read(
  p_guild_id text, p_token_id text, p_token_name text, p_user_id text, p_capacity float8, p_refill_per_minute float8,
  p_touch boolean, p_operation text, p_target_type text, p_target_id text, p_request_id text, p_address text,
  p_digest text,
  OUT refused_by text, OUT retry_after_seconds float8, OUT token_balance float8, OUT user_balance float8
) LANGUAGE plpgsql AS $$
BEGIN
  SELECT * INTO refused_by, retry_after_seconds, token_balance, user_balance
  FROM spend_read(p_guild_id, p_token_id, p_user_id, p_capacity, p_refill_per_minute, p_touch);
  IF refused_by IS NULL THEN
    PERFORM record_read(p_guild_id, p_token_id, p_token_name, p_user_id, p_operation, p_target_type, p_target_id,
                        p_request_id, p_address, p_digest, 'performed', NULL);
  END IF;
END
$$;
