-- A trigger for a call about a person that waits for approval: adds the job that asks Discord about them, because the
-- owner decides about a person and not about a number.
CREATE OR REPLACE FUNCTION meet_subject() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM graphile_worker.add_job('learn_subject', json_build_object('approval_id', NEW.id),
    job_key => 'learn_subject:' || NEW.id, max_attempts => 5, priority => 10);
  RETURN NULL;
END
$$;
