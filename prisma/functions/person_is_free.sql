-- Whether no action on this person is running in this guild, so that another may begin: effects on one person come one
-- after the other, over all processes. Nobody else gets an answer before the caller's transaction ends, so the caller
-- claims its action in the same statement. Each query in here sees what was committed before it began; the statement
-- that calls it does not.
CREATE OR REPLACE FUNCTION person_is_free(p_guild_id text, p_target_type text, p_target_id text) RETURNS boolean
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF p_target_type IS DISTINCT FROM 'user' THEN
    RETURN true;
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('person:' || p_guild_id || '/' || p_target_id, 0));
  RETURN NOT EXISTS (SELECT FROM actions
    WHERE state = 'running' AND lease_expires_at > clock_timestamp()
      AND guild_id = p_guild_id AND target_type = 'user' AND target_id = p_target_id);
END
$$;
