-- Whether a window was closed or has expired. A window that is not over may not have begun: see window_is_open. It is a
-- single SQL expression, so that the planner inlines it. The time is that of the statement, which an index can be
-- compared with; clock_timestamp() rules every index out.
CREATE OR REPLACE FUNCTION window_is_over(p_expires_at timestamptz, p_closed_at timestamptz) RETURNS boolean
LANGUAGE sql AS $$
  SELECT p_closed_at IS NOT NULL OR p_expires_at <= statement_timestamp()
$$;
