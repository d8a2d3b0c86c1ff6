-- Writes the audit row of a change by a person in the dashboard and returns its id. p is as in record_change. Only
-- functions that have checked who the person is, and what they may record, may call it.
CREATE OR REPLACE FUNCTION audit_change(p jsonb, p_person text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  audit_id text;
BEGIN
  INSERT INTO audit (guild_id, actor_source, actor_user_id, token_id, token_name, operation, target_type, target_id,
                     outcome, request_id, address, details)
  VALUES (p->>'guild_id', 'dashboard', p_person, p->>'token_id', p->>'token_name', p->>'operation', p->>'target_type',
          p->>'target_id', 'performed', p->>'request_id', p->>'address', nullif(p->'details', 'null'))
  RETURNING id INTO audit_id;
  RETURN audit_id;
END
$$;
