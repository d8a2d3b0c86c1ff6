-- Adds the job with which the bot asks Discord about a person in a guild, for a caller who waits: it tells the answer to
-- whoever waits for this request, and keeps nothing.
CREATE OR REPLACE FUNCTION ask_member(p_guild_id text, p_user_id text, p_request_id text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM graphile_worker.add_job('ask_member', json_build_object('guild_id', p_guild_id, 'user_id', p_user_id,
      'request_id', p_request_id, 'asked_at', clock_timestamp()),
    job_key => 'ask_member:' || p_request_id, max_attempts => 1, priority => -10);
END
$$;
