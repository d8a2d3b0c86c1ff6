-- Whether a case has expired but has not been ended. Discord ends a timeout by itself, but Bailiff must lift a ban.
CREATE OR REPLACE FUNCTION case_is_overdue(p_ended_at timestamptz, p_expires_at timestamptz) RETURNS boolean
LANGUAGE sql AS $$
  SELECT p_ended_at IS NULL AND p_expires_at <= statement_timestamp()
$$;
