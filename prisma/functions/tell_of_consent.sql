-- A trigger: wakes the callers that wait for a decision about a token. Its argument is the column with the token's id.
-- PostgreSQL sends equal messages of a transaction only once.
CREATE OR REPLACE FUNCTION tell_of_consent() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('bailiff',
    json_build_object('kind', 'consent', 'request_id', to_jsonb(NEW)->>TG_ARGV[0])::text);
  RETURN NULL;
END
$$;
