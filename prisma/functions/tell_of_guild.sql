-- A trigger: notifies listeners of changed settings of a guild.
CREATE OR REPLACE FUNCTION tell_of_guild() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM tell('settings', NEW.id, '{}');
  RETURN NULL;
END
$$;
