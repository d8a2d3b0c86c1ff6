-- A trigger: notifies listeners of a new audit row, with its id, so that pages can read it directly.
CREATE OR REPLACE FUNCTION tell_of_audit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM tell('audit', NEW.guild_id, jsonb_build_object('id', NEW.id));
  RETURN NULL;
END
$$;
