-- When an action began of which it is found out late that it has happened: others may have acted on the same person
-- since. Null for every other action: it keeps others off its person until it is settled (person_is_free).
CREATE OR REPLACE FUNCTION late_since(p_action_id text) RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT claimed_at FROM actions
  WHERE id = p_action_id AND (state = 'unknown' OR state = 'running' AND lease_expires_at < clock_timestamp())
$$;
