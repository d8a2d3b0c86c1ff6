-- Writes the audit row of a change by a person in the dashboard, in the transaction of the change, and returns its id.
-- From then on the person acts in this transaction, which changes by the web process need (require_hand).
--
-- p has: guild_id, actor_user_id, operation, target_type, target_id, request_id, address, and, if there are, token_id,
-- token_name, details; and what shows who the person is: session_proof (see act_in_session) or device_code (see
-- act_by_device_code). The person is then taken from there. The web process's login must give one of them,
-- that of the guild's owner, or for an export of the audit log of somebody who may read it: so it can tell no guild what
-- somebody did who may do nothing there.
CREATE OR REPLACE FUNCTION record_change(p jsonb) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  person text := person_of(p);
BEGIN
  IF is_web(session_user) AND NOT EXISTS (SELECT FROM guilds WHERE id = p->>'guild_id' AND owner_id = person)
      AND NOT (p->>'operation' = 'audit.export' AND 'audit.read' = ANY (ARRAY(
        SELECT unnest(capabilities) FROM granted_to(p->>'guild_id', person)))) THEN
    RAISE EXCEPTION 'Only the owner of a guild changes it.' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN audit_change(p, person);
END
$$;
