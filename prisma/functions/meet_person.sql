-- A trigger for a person who gets a record: lets the guild find them by the name that is known, and notes that Discord is
-- to be asked for it, because pages show names. Its argument is the column with the user's id. Names of members are
-- known already; other names are asked for at most every 30 days.
--
-- One job asks for all names that are wanted, a second later. A job for each would wake every runner of the queue for
-- each ban.
CREATE OR REPLACE FUNCTION meet_person() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  subject text := to_jsonb(NEW)->>TG_ARGV[0];
BEGIN
  UPDATE known_names SET guild_ids = guild_ids || NEW.guild_id
  WHERE user_id = subject AND NEW.guild_id <> ALL (guild_ids);
  IF EXISTS (SELECT FROM members WHERE guild_id = NEW.guild_id AND user_id = subject)
      OR EXISTS (SELECT FROM known_names WHERE user_id = subject AND learned_at > now() - interval '30 days') THEN
    RETURN NULL;
  END IF;
  -- Names are asked for in the order of met_at: thousands of imported people do not keep somebody met today waiting.
  INSERT INTO names_to_learn (user_id, met_at)
  VALUES (subject, CASE WHEN current_setting('bailiff.importing', true) = 'yes' THEN now() + interval '7 days' ELSE now() END)
  ON CONFLICT (user_id) DO UPDATE SET met_at = least(names_to_learn.met_at, excluded.met_at), attempts = 0
    WHERE names_to_learn.met_at > excluded.met_at OR names_to_learn.attempts > 0;
  -- One that runs may have looked before this row is visible.
  IF NOT EXISTS (SELECT FROM graphile_worker.jobs
      WHERE key = 'learn_names' AND locked_at IS NULL AND attempts < max_attempts) THEN
    PERFORM graphile_worker.add_job('learn_names', run_at => now() + interval '1 second', job_key => 'learn_names',
      max_attempts => 5, priority => 10);
  END IF;
  RETURN NULL;
END
$$;
