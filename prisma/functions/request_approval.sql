-- Stores an approval request for a call without a window, and returns its id (decisions: Approval requests). The same
-- call asked again is the same request, and lapses an hour after it was first asked. A token has at most 50 open
-- requests; if there are more, the oldest expire. Of those that nobody has decided it has at most 100, those that lapsed
-- last included: a call without a window costs it nothing, so it can make any number of them.
CREATE OR REPLACE FUNCTION request_approval(p jsonb) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  approval_id text;
  pushed_out text;
BEGIN
  UPDATE approval_requests
  SET request_id = p->>'request_id', address = p->>'address'
  WHERE id = (
    SELECT id FROM approval_requests
    WHERE token_id = p->>'token_id' AND digest = p->>'digest' AND state = 'pending' AND expires_at > now()
    ORDER BY id DESC LIMIT 1)
  RETURNING id INTO approval_id;
  IF approval_id IS NULL THEN
    FOR pushed_out IN
      UPDATE approval_requests SET expires_at = now() WHERE id IN (
        SELECT id FROM approval_requests
        WHERE token_id = p->>'token_id' AND state = 'pending' AND expires_at > now() ORDER BY id DESC OFFSET 49)
      RETURNING id
    LOOP
      -- The owner does not decide about its person any more (meet_subject).
      PERFORM graphile_worker.remove_job('learn_subject:' || pushed_out);
    END LOOP;
    DELETE FROM approval_requests WHERE id IN (
      SELECT id FROM approval_requests WHERE token_id = p->>'token_id' AND state = 'pending' ORDER BY id DESC OFFSET 99);
    INSERT INTO approval_requests
      (token_id, guild_id, operation, target_type, target_id, input, digest, request_id, address, expires_at)
    VALUES (p->>'token_id', p->>'guild_id', p->>'operation', p->>'target_type', p->>'target_id', p->'input',
            p->>'digest', p->>'request_id', p->>'address', now() + interval '1 hour')
    RETURNING id INTO approval_id;
  END IF;
  PERFORM tell('approval', p->>'guild_id', jsonb_build_object('id', approval_id));
  RETURN approval_id;
END
$$;
