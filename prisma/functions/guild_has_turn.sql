-- Whether fewer than p_most actions of the guild are running in a lane, over all processes, so that another may begin.
-- p_slow are the operations of the slow lane; p_is_slow says which lane is asked about. What the system does has slots of
-- its own, and so has a long action for which nobody waits any more. As in person_is_free, nobody else gets an answer
-- before the caller's transaction ends.
CREATE OR REPLACE FUNCTION guild_has_turn(p_guild_id text, p_is_slow boolean, p_slow text[], p_most int) RETURNS boolean
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('turns:' || p_guild_id, 0));
  RETURN p_most > (SELECT count(*) FROM actions
    WHERE state = 'running' AND lease_expires_at > clock_timestamp() AND guild_id = p_guild_id
      AND actor_source <> 'system' AND continues_since IS NULL AND worker IS NOT NULL
      AND (operation = ANY (p_slow)) = p_is_slow);
END
$$;
