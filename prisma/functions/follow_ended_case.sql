-- A trigger, in the transaction that ends a case: adds the job that updates its post in the log channel.
CREATE OR REPLACE FUNCTION follow_ended_case() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM graphile_worker.add_job('post_case', json_build_object('case_id', NEW.id),
    job_key => 'post_case:' || NEW.id, max_attempts => 10)
  FROM guilds WHERE id = NEW.guild_id AND log_channel_id IS NOT NULL
    -- An import that ends what it brought adds no job (import_rows).
    AND current_setting('bailiff.importing', true) IS DISTINCT FROM 'yes'
    -- The cases of a mass action have no post, but those that were changed or got evidence. Its job may be at work.
    AND (NOT is_of_many(NEW.action_id) OR EXISTS (SELECT FROM case_posts WHERE case_id = NEW.id)
      OR EXISTS (SELECT FROM graphile_worker._private_jobs WHERE key = 'post_case:' || NEW.id));
  RETURN NULL;
END
$$;
