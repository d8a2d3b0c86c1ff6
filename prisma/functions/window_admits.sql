-- after: functions/window_is_open
-- Whether a window admits the call with this digest now: it is open, and for every call of its token or for this one.
CREATE OR REPLACE FUNCTION window_admits(w windows, p_digest text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT window_is_open(w.opened_at, w.expires_at, w.closed_at) AND (w.digest IS NULL OR w.digest = p_digest)
$$;
