-- A trigger for a person who gets a record: lets the guild find them by the name that is known, and adds the job that
-- asks Discord for it, because pages show names. Its argument is the column with the user's id. Names of members are
-- known already; other names are asked for at most every 30 days.
CREATE OR REPLACE FUNCTION meet_person() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  subject text := to_jsonb(NEW)->>TG_ARGV[0];
BEGIN
  UPDATE known_names SET guild_ids = guild_ids || NEW.guild_id
  WHERE user_id = subject AND NEW.guild_id <> ALL (guild_ids);
  IF NOT EXISTS (SELECT FROM members WHERE guild_id = NEW.guild_id AND user_id = subject)
      AND NOT EXISTS (SELECT FROM known_names WHERE user_id = subject AND learned_at > now() - interval '30 days') THEN
    PERFORM graphile_worker.add_job('learn_name', json_build_object('user_id', subject), job_key => 'learn_name:' || subject,
      max_attempts => 5, priority => 10);
  END IF;
  RETURN NULL;
END
$$;
