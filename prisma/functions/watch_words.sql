-- after: functions/case_is_in_force
-- The people with cases of whom no message was noted for a day, in guilds of these shards that are told when somebody
-- writes after a silence: of the 20,000 of a guild with the latest cases. Only their next message needs a statement.
-- It is a page of five guilds, those after p_after; with p_guild_ids, of these guilds only. A guild that does not want to
-- know any more has nobody.
--
-- Says in each guild until when messages are seen. If the last time was longer ago than a day, silence counts anew.
CREATE OR REPLACE FUNCTION watch_words(p_shard_ids int[], p_shard_count int, p_guild_ids text[], p_after text)
RETURNS TABLE (guild_id text, user_ids text[])
LANGUAGE plpgsql AS $$
DECLARE
  page text[] := ARRAY(
    SELECT g.id FROM guilds g
    WHERE g.id > p_after AND (p_guild_ids IS NULL OR g.id = ANY (p_guild_ids)) AND g.left_at IS NULL
      AND (g.alerts_quiet_days IS NOT NULL OR g.words_seen_from IS NOT NULL)
      AND div(g.id::numeric, 4194304) % p_shard_count = ANY (p_shard_ids)
    ORDER BY g.id LIMIT 5);
BEGIN
  UPDATE guilds g SET words_seen_from = NULL, words_seen_until = NULL
  WHERE g.id = ANY (page) AND g.alerts_quiet_days IS NULL;
  UPDATE guilds g SET words_seen_until = now(),
    words_seen_from = CASE WHEN g.words_seen_until > now() - interval '1 day' THEN g.words_seen_from ELSE now() END
  FROM gateway_shards s
  WHERE g.id = ANY (page) AND g.alerts_quiet_days IS NOT NULL
    AND s.shard_id = div(g.id::numeric, 4194304) % p_shard_count AND heartbeat_is_fresh(s.heartbeat_at);
  RETURN QUERY
    SELECT g.id, ARRAY(
        SELECT p.user_id FROM (
          SELECT c.user_id FROM cases c
          WHERE c.guild_id = g.id AND g.alerts_quiet_days IS NOT NULL AND g.log_channel_id IS NOT NULL
            AND (c.issued_at > now() - interval '90 days' OR case_is_in_force(c.ended_at, c.expires_at))
          GROUP BY c.user_id ORDER BY max(c.case_number) DESC LIMIT 20000) AS p
        WHERE NOT EXISTS (SELECT FROM last_words w
          WHERE w.guild_id = g.id AND w.user_id = p.user_id AND w.written_at > now() - interval '1 day'))
    FROM guilds g WHERE g.id = ANY (page) ORDER BY g.id;
END
$$;
