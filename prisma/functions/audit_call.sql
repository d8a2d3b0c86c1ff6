-- Writes the audit row of a call and returns its id. p is the call in the format of submit_call, or a row of "actions".
CREATE OR REPLACE FUNCTION audit_call(p jsonb, p_outcome "AuditOutcome", p_code text, p_action_id text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  written text;
BEGIN
  INSERT INTO audit (guild_id, actor_source, actor_user_id, token_id, token_name, operation, target_type, target_id,
                     outcome, code, request_id, address, digest, action_id)
  VALUES (p->>'guild_id', (p->>'actor_source')::"ActorSource", p->>'actor_user_id', p->>'token_id', p->>'token_name',
          p->>'operation', p->>'target_type', p->>'target_id', p_outcome, p_code, p->>'request_id', p->>'address',
          p->>'digest', p_action_id)
  RETURNING id INTO written;
  RETURN written;
END
$$;
