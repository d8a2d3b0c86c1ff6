-- What a call without a window gets to know: that the owner is asked (pending), that they refused the same call within
-- the last hour, or that they muted the token. Only the first asks somebody. Returns approval_state, and approval_id if
-- there is a request.
CREATE OR REPLACE FUNCTION ask_approval(p jsonb) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  muted timestamptz;
  refused_id text;
BEGIN
  -- Two of the same call at once are one request.
  SELECT muted_at INTO muted FROM tokens WHERE id = p->>'token_id' FOR UPDATE;
  IF muted IS NOT NULL THEN
    RETURN '{"approval_state": "muted"}';
  END IF;
  SELECT max(id) INTO refused_id FROM approval_requests
  WHERE token_id = p->>'token_id' AND digest = p->>'digest' AND refusal_holds(state, decided_at);
  RETURN CASE WHEN refused_id IS NULL
    THEN jsonb_build_object('approval_state', 'pending', 'approval_id', request_approval(p))
    ELSE jsonb_build_object('approval_state', 'refused', 'approval_id', refused_id) END;
END
$$;
