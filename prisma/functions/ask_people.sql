-- Adds the job with which the bot asks Discord whose names in a guild begin with a text, for callers who wait: it tells
-- the answer to whoever waits for this request, and keeps nothing. A question that waits already is not asked again.
CREATE OR REPLACE FUNCTION ask_people(p_guild_id text, p_query text, p_request_id text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM graphile_worker.add_job('ask_people', json_build_object('guild_id', p_guild_id, 'query', p_query,
      'request_id', p_request_id, 'asked_at', clock_timestamp()),
    job_key => 'ask_people:' || p_request_id, max_attempts => 1, priority => -10);
END
$$;
