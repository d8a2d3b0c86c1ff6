-- A trigger for a ticket whose opener is asked whether it is solved: adds the job that asks in its channel, and the one
-- that closes it when its time has come. If the question is posted late, they are asked from then on, not again.
CREATE OR REPLACE FUNCTION follow_close_question() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  IF OLD.close_asked_at IS NULL THEN
    PERFORM graphile_worker.add_job('ask_opener', json_build_object('ticket_id', NEW.id),
      job_key => 'ask_opener:' || NEW.id, max_attempts => 10);
  END IF;
  PERFORM graphile_worker.add_job('close_due_ticket', json_build_object('ticket_id', NEW.id),
    job_key => 'close_due_ticket:' || NEW.id, run_at => NEW.closes_at, max_attempts => 10);
  RETURN NULL;
END
$$;
