-- A trigger: tells the sign-in that waits for it that its session was confirmed.
CREATE OR REPLACE FUNCTION tell_of_session() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('bailiff', json_build_object('kind', 'session', 'request_id', encode(NEW.token_hash, 'hex'))::text);
  RETURN NULL;
END
$$;
