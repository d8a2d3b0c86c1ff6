-- A trigger for what people read about a channel: adds the job that asks Discord for the channel's name, because nobody
-- can judge a number. Its argument is the column with the channel's id.
CREATE OR REPLACE FUNCTION meet_channel() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  channel text := to_jsonb(NEW)->>TG_ARGV[0];
BEGIN
  PERFORM graphile_worker.add_job('learn_channel',
    json_build_object('guild_id', NEW.guild_id, 'channel_id', channel),
    job_key => 'learn_channel:' || channel, max_attempts => 5, priority => 10);
  RETURN NULL;
END
$$;
