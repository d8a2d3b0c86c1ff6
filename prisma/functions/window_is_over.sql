-- Whether a window was closed or has expired. What is not over may be still to come: see window_is_open.
-- In SQL with one expression, so that the planner puts it into the query that asks.
CREATE OR REPLACE FUNCTION window_is_over(p_expires_at timestamptz, p_closed_at timestamptz) RETURNS boolean
LANGUAGE sql AS $$
  SELECT p_closed_at IS NOT NULL OR p_expires_at <= clock_timestamp()
$$;
