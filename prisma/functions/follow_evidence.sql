-- A trigger for what is attached to a case, or becomes of it: has open pages show it, and updates the case's post in the
-- log channel once nothing is left to be fetched. Imported cases are records:
-- nothing follows them.
CREATE OR REPLACE FUNCTION follow_evidence() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM tell('case', NEW.guild_id, '{}');
  IF NOT EXISTS (SELECT FROM evidence WHERE case_id = NEW.case_id AND url IS NOT NULL) THEN
    PERFORM graphile_worker.add_job('post_case', json_build_object('case_id', NEW.case_id),
      job_key => 'post_case:' || NEW.case_id, max_attempts => 10)
    FROM cases c JOIN guilds g ON g.id = c.guild_id
    WHERE c.id = NEW.case_id AND c.import_id IS NULL AND g.log_channel_id IS NOT NULL;
  END IF;
  RETURN NULL;
END
$$;
