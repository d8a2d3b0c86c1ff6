-- Writes the audit row of a read by a token, with how it ended: performed, refused (with the code) or failed.
CREATE OR REPLACE FUNCTION record_read(
  p_guild_id text, p_token_id text, p_token_name text, p_user_id text, p_operation text, p_target_type text,
  p_target_id text, p_request_id text, p_address text, p_digest text, p_outcome "AuditOutcome", p_code text
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO audit (is_read, guild_id, actor_source, actor_user_id, token_id, token_name, operation,
                     target_type, target_id, outcome, code, request_id, address, digest)
  VALUES (true, p_guild_id, 'token', p_user_id, p_token_id, p_token_name, p_operation,
          p_target_type, p_target_id, p_outcome, p_code, p_request_id, p_address, p_digest);
END
$$;
