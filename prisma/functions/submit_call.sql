-- Submits a write: makes sure who calls, then admits it or refuses it (admit_call), in one transaction.
--
-- p has: guild_id, operation, input, digest, target_type, target_id, actor_source, actor_user_id, request_id, address,
--   capability (or null), tier, capacity, refill_per_minute, destructive, confirmed, performed_by, claim_seconds,
--   queue (of calls that are performed one at a time, or null).
-- In the dashboard also: session_proof, from which the person is taken (see person_of), and idempotency_key or null.
-- With a token also: token_id, token_name, secret_proof (the SHA-256 of its secret, in hexadecimal), action_id and
--   admitted_at (from its admission), arrives_within_seconds (after that), idempotency_key, denied_because (why the
--   guild's own settings deny the call, or null).
-- Returns { status: admitted, action_id } | { status: replayed, action_id, digest } | { status: refused, code, … }.
CREATE OR REPLACE FUNCTION submit_call(p jsonb) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  token tokens;
  hash bytea;
BEGIN
  CASE p->>'actor_source'
    WHEN 'token' THEN
      hash := sha256(decode(p->>'secret_proof', 'hex'));
      SELECT * INTO token FROM tokens WHERE id = p->>'token_id' FOR UPDATE;
      IF (token.guild_id = p->>'guild_id' AND (token.secret_hash = hash
          OR (token.previous_secret_hash = hash AND token.previous_secret_expires_at > clock_timestamp())))
          IS NOT TRUE THEN
        RETURN '{"status": "refused", "code": "UNAUTHORIZED"}';
      END IF;
      p := p || jsonb_build_object('actor_user_id', token.issuer_id, 'token_name', token.name);
    WHEN 'dashboard' THEN
      p := p || jsonb_build_object('actor_user_id', person_of(p));
    ELSE
      IF is_web(session_user) THEN
        RAISE EXCEPTION 'The web process takes calls from tokens and the dashboard only.'
          USING ERRCODE = 'insufficient_privilege';
      END IF;
  END CASE;
  RETURN admit_call(p - 'session_proof' - 'secret_proof');
END
$$;
