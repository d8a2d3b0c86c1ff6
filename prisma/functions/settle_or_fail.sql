-- Ends an action like settle_action, but raises an error if it had already ended, which aborts the transaction. For
-- callers that send COMMIT right after this statement, without waiting for its answer.
CREATE OR REPLACE FUNCTION settle_or_fail(p_action_id text, p_state "ActionState", p_result jsonb, p_error jsonb)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT settle_action(p_action_id, p_state, p_result, p_error) THEN
    RAISE EXCEPTION 'Action % had ended before.', p_action_id USING ERRCODE = 'BF001';
  END IF;
END
$$;
