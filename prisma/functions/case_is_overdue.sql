-- Whether the time of a case is over, but nobody has ended it: Discord lifts a timeout by itself, a ban has to be lifted.
CREATE OR REPLACE FUNCTION case_is_overdue(p_ended_at timestamptz, p_expires_at timestamptz) RETURNS boolean
LANGUAGE sql AS $$
  SELECT p_ended_at IS NULL AND p_expires_at <= clock_timestamp()
$$;
