-- Asks a game server who is online, through the bot, unless it was asked within the last 5 seconds. Returns whether an
-- answer is to come. The job is in the queue of the server's commands, so there is one connection to it at a time, and
-- behind the commands that wait there. A guild has few questions under way at once: those of other guilds need places too.
CREATE OR REPLACE FUNCTION ask_players(p_guild_id text, p_server_id text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  latest server_players;
BEGIN
  IF NOT EXISTS (SELECT FROM game_servers WHERE id = p_server_id AND guild_id = p_guild_id) THEN
    RETURN false;
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('ask_players:' || p_guild_id, 0));
  SELECT * INTO latest FROM server_players WHERE server_id = p_server_id;
  IF latest.asked_at > clock_timestamp() - interval '5 seconds' THEN
    RETURN latest.state = 'asked';
  END IF;
  IF (SELECT count(*) FROM server_players p JOIN game_servers s ON s.id = p.server_id
      WHERE s.guild_id = p_guild_id AND p.state = 'asked' AND p.asked_at > clock_timestamp() - interval '5 seconds') >= 4
  THEN
    RETURN false;
  END IF;
  INSERT INTO server_players (server_id) VALUES (p_server_id)
  ON CONFLICT (server_id) DO UPDATE SET asked_at = clock_timestamp(), state = 'asked';
  PERFORM graphile_worker.add_job('list_players', json_build_object('server_id', p_server_id),
    job_key => 'list_players:' || p_server_id, queue_name => p_server_id, max_attempts => 1, priority => 10);
  RETURN true;
END
$$;
