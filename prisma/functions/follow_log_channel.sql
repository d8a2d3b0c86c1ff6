-- A trigger for a guild that gets another log channel: forgets what was wrong with the one before, and adds the job that
-- says hello there or finds out what is wrong.
CREATE OR REPLACE FUNCTION follow_log_channel() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.log_channel_problem := NULL;
  IF NEW.log_channel_id IS NOT NULL THEN
    PERFORM graphile_worker.add_job('open_log_channel', json_build_object('guild_id', NEW.id),
      job_key => 'open_log_channel:' || NEW.id, max_attempts => 5);
  END IF;
  RETURN NEW;
END
$$;
