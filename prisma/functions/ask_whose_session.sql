-- A trigger: adds the job in which the bot asks Discord whose a new dashboard session is.
CREATE OR REPLACE FUNCTION ask_whose_session() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM graphile_worker.add_job('confirm_session', json_build_object('session', encode(NEW.token_hash, 'hex')),
    job_key => 'confirm_session:' || encode(NEW.token_hash, 'hex'), max_attempts => 8);
  RETURN NULL;
END
$$;
