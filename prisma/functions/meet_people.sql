-- People get a record of a guild: lets the guild find them by the name that is known, and notes that Discord is to be
-- asked for it, because pages show names. Names of members are known already; other names are asked for at most every 30
-- days.
--
-- One job asks for all names that are wanted, a second later. A job for each would wake every runner of the queue for
-- each ban.
--
-- Two transactions may meet the same people. They do so in the order of the ids, or one could wait for the other in a
-- circle, and nobody waits for the job. So who writes several records meets the people of all of them first.
CREATE OR REPLACE FUNCTION meet_people(p_guild_id text, p_people text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  subject text;
  met timestamptz :=
    CASE WHEN current_setting('bailiff.importing', true) = 'yes' THEN now() + interval '7 days' ELSE now() END;
BEGIN
  FOR subject IN SELECT DISTINCT id FROM unnest(p_people) AS id ORDER BY id LOOP
    -- Names are asked for in the order of met_at: thousands of imported people do not keep somebody met today waiting.
    IF NOT EXISTS (SELECT FROM members WHERE guild_id = p_guild_id AND user_id = subject)
      AND NOT EXISTS (SELECT FROM known_names WHERE user_id = subject AND learned_at > now() - interval '30 days') THEN
      INSERT INTO names_to_learn (user_id, met_at) VALUES (subject, met)
      ON CONFLICT (user_id) DO UPDATE SET met_at = least(names_to_learn.met_at, excluded.met_at), attempts = 0
        WHERE names_to_learn.met_at > excluded.met_at OR names_to_learn.attempts > 0;
      -- One that runs may have looked before this row is visible. Who holds the lock adds the job. If that job looks
      -- before this row is visible, or never comes, the next one by the clock (NAMES_CRONTAB) finds the row.
      IF NOT EXISTS (SELECT FROM graphile_worker.jobs
          WHERE key = 'learn_names' AND locked_at IS NULL AND attempts < max_attempts)
        AND pg_try_advisory_xact_lock(hashtextextended('learn_names', 0)) THEN
        PERFORM graphile_worker.add_job('learn_names', run_at => now() + interval '1 second', job_key => 'learn_names',
          max_attempts => 5, priority => 10);
      END IF;
    END IF;
    -- After that row: who stores the name, or forgets the person, comes to both in this order too.
    UPDATE known_names SET guild_ids = guild_ids || p_guild_id
    WHERE user_id = subject AND p_guild_id <> ALL (guild_ids);
  END LOOP;
END
$$;
