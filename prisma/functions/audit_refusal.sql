-- Writes the audit row of a refused call over a token, or counts it on the row of the same refusal (decisions: Audit).
-- p is the call in the format of submit_call.
--
-- Refused calls cost nothing, so a token can make any number of them. The same call with the same code from the same
-- address is one row an hour. After 20 different calls in that hour their targets are left out, and what remains is one
-- row for each operation. After 100 rows from all addresses the address is left out too: a network of IPv6 has more
-- addresses than anybody could write rows.
CREATE OR REPLACE FUNCTION audit_refusal(p jsonb, p_code text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  counted refusal_counts;
  of_address int;
  of_all int;
BEGIN
  -- One refusal of a token after the other: two at once would write two rows.
  PERFORM pg_advisory_xact_lock(hashtextextended('bailiff.refusal ' || (p->>'token_id'), 0));
  LOOP
    UPDATE refusal_counts SET count = count + 1, last_at = clock_timestamp()
    WHERE token_id = p->>'token_id' AND first_at > clock_timestamp() - interval '1 hour' AND code = p_code
      AND address = coalesce(p->>'address', '') AND operation = p->>'operation'
      AND target_id IS NOT DISTINCT FROM p->>'target_id'
    RETURNING * INTO counted;
    IF FOUND THEN
      PERFORM tell('audit', counted.guild_id, jsonb_build_object('id', counted.audit_id));
      RETURN;
    END IF;
    SELECT count(*) FILTER (WHERE address = p->>'address'), count(*) INTO of_address, of_all FROM refusal_counts
    WHERE token_id = p->>'token_id' AND first_at > clock_timestamp() - interval '1 hour' AND code = p_code;
    IF of_all >= 100 AND p ? 'address' THEN
      p := p - ARRAY['address', 'target_type', 'target_id', 'digest'];
    ELSIF of_address >= 20 AND p->>'target_id' IS NOT NULL THEN
      p := p - ARRAY['target_type', 'target_id', 'digest'];
    ELSE
      EXIT;
    END IF;
  END LOOP;
  INSERT INTO refusal_counts (audit_id, guild_id, token_id, code, address, operation, target_id)
  VALUES (audit_call(p, 'refused', p_code, NULL), p->>'guild_id', p->>'token_id', p_code,
          coalesce(p->>'address', ''), p->>'operation', p->>'target_id');
END
$$;
