-- A trigger: notifies listeners of a changed row. Its argument is the kind of change. PostgreSQL sends equal messages
-- of a transaction only once.
CREATE OR REPLACE FUNCTION tell_of_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM tell(TG_ARGV[0], CASE TG_OP WHEN 'DELETE' THEN OLD.guild_id ELSE NEW.guild_id END, '{}');
  RETURN NULL;
END
$$;
