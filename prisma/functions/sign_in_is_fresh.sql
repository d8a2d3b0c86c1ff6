-- Whether somebody signed in so recently that they may do what gives power to others (decisions: Sessions in the browser).
-- The clock may have stepped back a little since, so a moment up to a second ahead counts. One further ahead is from
-- before the clock was set back, so it does not.
CREATE OR REPLACE FUNCTION sign_in_is_fresh(p_signed_in_at timestamptz) RETURNS boolean LANGUAGE sql VOLATILE AS $$
  SELECT clock_timestamp() - p_signed_in_at BETWEEN interval '-1 second' AND interval '1 hour'
$$;
