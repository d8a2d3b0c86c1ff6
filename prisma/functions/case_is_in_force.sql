-- Whether a case is in force at a time (default: now): it has neither ended nor expired. Strikes, warnings and
-- permanent bans have no expires_at. This is the only definition of the rule; statements of engine and apps call it
-- too.
CREATE OR REPLACE FUNCTION case_is_in_force(
  p_ended_at timestamptz, p_expires_at timestamptz, p_at timestamptz DEFAULT statement_timestamp()
) RETURNS boolean LANGUAGE sql AS $$
  SELECT p_ended_at IS NULL AND (p_expires_at IS NULL OR p_expires_at > p_at)
$$;
