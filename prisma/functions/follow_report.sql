-- A trigger for a report that is made or changes hands: adds the job that posts it in the guild's channel for reports or
-- updates that post, and once it is closed the one that tells who made it.
CREATE OR REPLACE FUNCTION follow_report() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM graphile_worker.add_job('post_report', json_build_object('guild_id', NEW.guild_id, 'report_id', NEW.id),
    job_key => 'post_report:' || NEW.id, max_attempts => 10);
  -- Priority 10, so that other jobs do not wait behind many messages.
  IF NEW.status = 'closed' THEN
    PERFORM graphile_worker.add_job('tell_reporter', json_build_object('guild_id', NEW.guild_id, 'report_id', NEW.id),
      job_key => 'tell_reporter:' || NEW.id, max_attempts => 10, priority => 10);
  END IF;
  RETURN NULL;
END
$$;
