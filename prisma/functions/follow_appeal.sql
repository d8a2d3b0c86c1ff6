-- A trigger for a new appeal, and for what happens to it: notifies open pages, and adds the jobs that show it in the
-- guild's channel for appeals and tell its person the decision.
CREATE OR REPLACE FUNCTION follow_appeal() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM tell('appeal', NEW.guild_id, '{}');
  PERFORM graphile_worker.add_job('post_appeal', json_build_object('appeal_id', NEW.id),
    job_key => 'post_appeal:' || NEW.id, max_attempts => 10)
  WHERE NEW.message_id IS NOT NULL
    OR EXISTS (SELECT FROM appeal_settings WHERE guild_id = NEW.guild_id AND channel_id IS NOT NULL);
  IF NEW.state IN ('accepted', 'refused') THEN
    PERFORM graphile_worker.add_job('tell_appeal', json_build_object('appeal_id', NEW.id),
      job_key => 'tell_appeal:' || NEW.id, max_attempts => 10, priority => 10);
  END IF;
  RETURN NULL;
END
$$;
