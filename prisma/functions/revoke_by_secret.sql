-- Revokes the token whose secret is shown: whoever holds it gives it back (RFC 7009). Anything else changes nothing.
-- Neither the address nor the expiry matters: a secret in the wrong hands may always end.
--
-- p has: secret_proof (the SHA-256 of the secret, in hexadecimal), request_id, address.
CREATE OR REPLACE FUNCTION revoke_by_secret(p jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  hash bytea := sha256(decode(p->>'secret_proof', 'hex'));
  token tokens;
BEGIN
  SELECT * INTO token FROM tokens
  WHERE secret_hash = hash OR (previous_secret_hash = hash AND previous_secret_expires_at > clock_timestamp())
  FOR UPDATE;
  IF (token.revoked_at IS NULL AND token.id IS NOT NULL) IS NOT TRUE THEN
    RETURN;
  END IF;
  UPDATE tokens SET revoked_at = clock_timestamp(), revoked_reason = 'client' WHERE id = token.id;
  PERFORM end_windows(ARRAY[token.id], NULL);
  UPDATE approval_requests SET expires_at = clock_timestamp()
  WHERE token_id = token.id AND state = 'pending' AND expires_at > clock_timestamp();
  INSERT INTO audit (guild_id, actor_source, actor_user_id, token_id, token_name, operation, target_type, target_id,
                     outcome, request_id, address, details)
  VALUES (token.guild_id, 'token', token.issuer_id, token.id, token.name, 'tokens.revoke', 'token', token.id,
          'performed', p->>'request_id', p->>'address', '{"reason": "client"}');
  PERFORM tell('token', token.guild_id, jsonb_build_object('token_id', token.id));
  PERFORM tell('approval', token.guild_id, '{}');
END
$$;
