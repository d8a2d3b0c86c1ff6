-- Whether somebody signed in so recently that they may do what gives power to others (decisions: Sessions in the browser).
-- The stored moment is rounded to a millisecond, so it may lie that much ahead. A moment further ahead is from before the
-- clock went back, so it does not count.
CREATE OR REPLACE FUNCTION sign_in_is_fresh(p_signed_in_at timestamptz) RETURNS boolean LANGUAGE sql VOLATILE AS $$
  SELECT clock_timestamp() - p_signed_in_at BETWEEN interval '-1 millisecond' AND interval '1 hour'
$$;
