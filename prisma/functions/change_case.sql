-- Changes a case and keeps what stood before, with who changed it and why (decisions: Changed cases). p_set holds the new
-- values by column: reason, severity or duration_minutes, where null is permanent; expires_at follows from the time the
-- case began. Returns the case. What it says already is no change, and nothing is kept of it.
--
-- The caller holds a lock on the row, so that of two changes at once the second keeps what the first one set.
CREATE OR REPLACE FUNCTION change_case(p_case_id text, p_action_id text, p_changed_by text, p_why text, p_set jsonb)
RETURNS SETOF cases LANGUAGE plpgsql AS $$
DECLARE
  before cases;
  after cases;
BEGIN
  SELECT * INTO before FROM cases WHERE id = p_case_id;
  after := jsonb_populate_record(before, p_set);
  IF p_set ? 'duration_minutes' THEN
    after.expires_at := before.issued_at + make_interval(mins => after.duration_minutes);
  END IF;
  IF before IS DISTINCT FROM after THEN
    UPDATE cases SET reason = after.reason, severity = after.severity WHERE id = p_case_id;
    -- Only the bot may write these columns.
    IF before.expires_at IS DISTINCT FROM after.expires_at THEN
      UPDATE cases SET duration_minutes = after.duration_minutes, expires_at = after.expires_at, end_failed_at = NULL
      WHERE id = p_case_id;
    END IF;
    INSERT INTO case_changes (guild_id, case_id, action_id, changed_by, why, before, after)
    SELECT before.guild_id, before.id, p_action_id, p_changed_by, p_why,
      jsonb_object_agg(was.key, was.value), jsonb_object_agg(was.key, now.value)
    FROM jsonb_each(to_jsonb(before)) AS was JOIN jsonb_each(to_jsonb(after)) AS now USING (key)
    WHERE was.value IS DISTINCT FROM now.value;
  END IF;
  RETURN QUERY SELECT * FROM cases WHERE id = p_case_id;
END
$$;
