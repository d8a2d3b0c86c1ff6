-- A trigger, in the transaction that changes a case: adds the job that updates its post in the log channel, and moves the
-- one that lifts a ban to its new end. A ban that has no end any more is lifted by nobody. Nothing follows the changes
-- that an archive knows of: they were made elsewhere.
CREATE OR REPLACE FUNCTION follow_changed_case() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  changed cases;
BEGIN
  IF current_setting('bailiff.importing', true) = 'yes' THEN
    RETURN NULL;
  END IF;
  SELECT * INTO changed FROM cases WHERE id = NEW.case_id;
  PERFORM graphile_worker.add_job('post_case', json_build_object('case_id', changed.id),
    job_key => 'post_case:' || changed.id, max_attempts => 10)
  FROM guilds WHERE id = changed.guild_id AND log_channel_id IS NOT NULL;
  IF changed.kind = 'ban' AND changed.ended_at IS NULL AND NEW.after ? 'expires_at' THEN
    IF changed.expires_at IS NULL THEN
      PERFORM graphile_worker.remove_job('end_ban:' || changed.id);
    ELSE
      PERFORM graphile_worker.add_job('end_ban', json_build_object('case_id', changed.id),
        run_at => changed.expires_at, job_key => 'end_ban:' || changed.id);
    END IF;
  END IF;
  RETURN NULL;
END
$$;
