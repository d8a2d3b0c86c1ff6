-- A trigger for a guild that gets another log channel: forgets how the earlier one did, and adds the job that posts a
-- greeting in the new one or finds out why it cannot.
CREATE OR REPLACE FUNCTION follow_log_channel() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  NEW.log_channel_problem := NULL;
  NEW.log_channel_posted_at := NULL;
  IF NEW.log_channel_id IS NOT NULL THEN
    PERFORM graphile_worker.add_job('open_log_channel', json_build_object('guild_id', NEW.id),
      job_key => 'open_log_channel:' || NEW.id, max_attempts => 5);
  END IF;
  RETURN NEW;
END
$$;
