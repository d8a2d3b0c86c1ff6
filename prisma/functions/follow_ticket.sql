-- A trigger for a ticket that somebody was given: adds the job that says so in its channel.
CREATE OR REPLACE FUNCTION follow_ticket() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM graphile_worker.add_job('announce_assignment', json_build_object('ticket_id', NEW.id),
    job_key => 'announce_assignment:' || NEW.id, max_attempts => 5);
  RETURN NULL;
END
$$;
