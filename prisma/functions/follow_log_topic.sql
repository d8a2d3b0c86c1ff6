-- A trigger for a topic of the log channel that gets a channel of its own: forgets how the earlier one did, and adds the
-- job that posts a greeting in the new one or finds out why it cannot.
CREATE OR REPLACE FUNCTION follow_log_topic() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  NEW.problem := NULL;
  PERFORM graphile_worker.add_job('open_log_channel',
    json_build_object('guild_id', NEW.guild_id, 'topic', NEW.topic),
    job_key => 'open_log_channel:' || NEW.guild_id || ':' || NEW.topic, max_attempts => 5);
  RETURN NEW;
END
$$;
