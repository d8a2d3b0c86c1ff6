-- Adds the job with which the bot finds something out for a caller who waits: it tells the answer to whoever waits for
-- this request, and keeps nothing. A question that waits already is not asked again.
CREATE OR REPLACE FUNCTION ask_for_caller(p_task text, p_about jsonb, p_request_id text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM graphile_worker.add_job(p_task,
    (p_about || jsonb_build_object('request_id', p_request_id, 'asked_at', clock_timestamp()))::json,
    job_key => p_task || ':' || p_request_id, max_attempts => 1, priority => -10);
END
$$;
