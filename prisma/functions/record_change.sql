-- Writes the audit row of a change by a person in the dashboard, in the transaction of the change, and returns its id.
-- From then on the person acts in this transaction, which changes by the web process need (require_hand).
--
-- p has: guild_id, actor_user_id, operation, target_type, target_id, request_id, address, and, if there are, token_id,
-- token_name, details; and what shows who the person is: session_proof (see act_in_session) or device_code (see
-- act_by_device_code). The person is then taken from there. The web process's login must give one of them.
CREATE OR REPLACE FUNCTION record_change(p jsonb) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  person text := person_of(p);
  audit_id text;
BEGIN
  INSERT INTO audit (guild_id, actor_source, actor_user_id, token_id, token_name, operation, target_type, target_id,
                     outcome, request_id, address, details)
  VALUES (p->>'guild_id', 'dashboard', person, p->>'token_id', p->>'token_name', p->>'operation', p->>'target_type',
          p->>'target_id', 'performed', p->>'request_id', p->>'address', nullif(p->'details', 'null'))
  RETURNING id INTO audit_id;
  RETURN audit_id;
END
$$;
