-- Adds a job for the bot on behalf of any process: p_task is one of those below, p_id what it is about. A job that
-- waits already is not added again.
CREATE OR REPLACE FUNCTION ask_bot(p_task text, p_id text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  key text := p_task || ':' || p_id;
BEGIN
  CASE p_task
    WHEN 'mirror_guild' THEN
      PERFORM graphile_worker.add_job(p_task, json_build_object('guild_id', p_id), job_key => key);
    WHEN 'escalate' THEN
      -- Before the ends of bans, of which thousands can wait.
      PERFORM graphile_worker.add_job(p_task, json_build_object('strike_id', p_id), job_key => key, priority => -10);
    WHEN 'check_server' THEN
      -- In the queue of the server's commands (`oneAtATime` of servers.rcon), so there is one connection to it at a time.
      PERFORM graphile_worker.add_job(p_task, json_build_object('server_id', p_id), job_key => key, queue_name => p_id,
        max_attempts => 1);
  END CASE;
END
$$;
