-- Whether a case is in force at a time, by default now: not ended, and not expired. Strikes, warnings and permanent bans
-- have no expires_at. The one definition, for SQL and the statements of engine and apps alike.
CREATE OR REPLACE FUNCTION case_is_in_force(
  p_ended_at timestamptz, p_expires_at timestamptz, p_at timestamptz DEFAULT clock_timestamp()
) RETURNS boolean LANGUAGE sql AS $$
  SELECT p_ended_at IS NULL AND (p_expires_at IS NULL OR p_expires_at > p_at)
$$;
