-- A trigger before the web process opens a window or changes one that is open: it ends within an hour from now, the
-- longest that REAUTH_WINDOW_MINUTES allows. So a web process under foreign control cannot turn one act of an owner
-- into a window that stays open, or into one that opens later by itself.
CREATE OR REPLACE FUNCTION bound_window() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- A second more: stored moments are rounded.
  IF NOT window_is_over(NEW.expires_at, NEW.closed_at) AND NEW.expires_at > clock_timestamp() + interval '1 hour 1 second' THEN
    RAISE EXCEPTION 'A window is open for an hour at most.' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NEW;
END
$$;
