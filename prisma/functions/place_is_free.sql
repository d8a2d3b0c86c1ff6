-- Whether nothing that changes the settings of this place (a channel, or the guild if p_target_id is null) is running, so
-- that another such action may begin: the end of a lock sees the lock that was given another end meanwhile. p_of_places
-- are the operations that change such settings; other operations may always begin. As in person_is_free, nobody else gets
-- an answer before the caller's transaction ends.
CREATE OR REPLACE FUNCTION place_is_free(p_guild_id text, p_target_id text, p_operation text, p_of_places text[])
RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF p_operation <> ALL (p_of_places) THEN
    RETURN true;
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('place:' || p_guild_id || '/' || coalesce(p_target_id, ''), 0));
  RETURN NOT EXISTS (SELECT FROM actions
    WHERE state = 'running' AND lease_expires_at > clock_timestamp() AND guild_id = p_guild_id
      AND operation = ANY (p_of_places) AND target_id IS NOT DISTINCT FROM p_target_id);
END
$$;
