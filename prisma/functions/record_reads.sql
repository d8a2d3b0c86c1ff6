-- Writes the audit rows of reads that arrived together, each with how it ended, as record_read does for one.
CREATE OR REPLACE FUNCTION record_reads(
  p_operation text, p_token_ids text[], p_target_types text[], p_target_ids text[], p_request_ids text[],
  p_addresses text[], p_digests text[], p_outcomes "AuditOutcome"[], p_codes text[]
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  INSERT INTO audit (is_read, guild_id, actor_source, actor_user_id, token_id, token_name, operation,
                     target_type, target_id, outcome, code, request_id, address, digest)
  SELECT true, t.guild_id, 'token', t.issuer_id, t.id, t.name, p_operation,
         call.target_type, call.target_id, call.outcome, call.code, call.request_id, call.address, call.digest
  FROM unnest(p_token_ids, p_target_types, p_target_ids, p_request_ids, p_addresses, p_digests, p_outcomes, p_codes)
    AS call (token_id, target_type, target_id, request_id, address, digest, outcome, code)
  JOIN tokens t ON t.id = call.token_id;
END
$$;
