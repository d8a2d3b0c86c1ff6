-- A trigger for a call about a channel that waits for approval: adds the job that asks Discord for the channel's name,
-- because nobody can judge a number.
CREATE OR REPLACE FUNCTION meet_channel() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM graphile_worker.add_job('learn_channel',
    json_build_object('guild_id', NEW.guild_id, 'channel_id', NEW.target_id),
    job_key => 'learn_channel:' || NEW.target_id, max_attempts => 5, priority => 10);
  RETURN NULL;
END
$$;
