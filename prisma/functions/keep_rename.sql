-- A trigger: keeps the earlier names of a member of the mirror.
CREATE OR REPLACE FUNCTION keep_rename() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF may_keep_member_event(NEW.guild_id, NEW.user_id) THEN
    INSERT INTO member_events (guild_id, user_id, at, kind, username, display_name, old_username, old_display_name)
    -- Two names within a millisecond are two events.
    VALUES (NEW.guild_id, NEW.user_id,
      greatest(clock_timestamp(), (SELECT max(at) + interval '1 ms' FROM member_events
        WHERE guild_id = NEW.guild_id AND user_id = NEW.user_id)),
      'renamed', NEW.username, NEW.display_name, OLD.username, OLD.display_name)
    ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END
$$;
