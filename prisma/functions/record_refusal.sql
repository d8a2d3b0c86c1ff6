-- Writes the audit row of a call over a token that was refused before its submission. p is the call in the format of
-- submit_call.
CREATE OR REPLACE FUNCTION record_refusal(p jsonb, p_code text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM audit_refusal(p || '{"actor_source": "token"}', p_code);
END
$$;
