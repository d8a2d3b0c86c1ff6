-- Queues the posts in log channels about people who joined and have cases there, in force or of the last 90 days, where
-- the guild wants that. A person is told of once in 12 hours, and of a guild ten people in ten minutes: a raid fills no
-- channel. Guilds that do not want it cost a look at their row.
CREATE OR REPLACE FUNCTION alert_of_joins(p_guild_ids text[], p_user_ids text[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  joined record;
BEGIN
  FOR joined IN
    SELECT DISTINCT j.guild_id, j.user_id FROM unnest(p_guild_ids, p_user_ids) AS j (guild_id, user_id)
    JOIN guilds g ON g.id = j.guild_id AND g.alerts_joins AND g.log_channel_id IS NOT NULL
    WHERE EXISTS (
      SELECT FROM cases c WHERE c.guild_id = j.guild_id AND c.user_id = j.user_id
        AND (c.issued_at > now() - interval '90 days' OR case_is_in_force(c.ended_at, c.expires_at)))
    ORDER BY j.guild_id, j.user_id
  LOOP
    CONTINUE WHEN EXISTS (
      SELECT FROM count_requests(ARRAY['join:' || joined.guild_id || ':' || joined.user_id], '{1}', '{1}', '{43200000}')
      WHERE points > most);
    CONTINUE WHEN EXISTS (
      SELECT FROM count_requests(ARRAY['joins:' || joined.guild_id], '{1}', '{10}', '{600000}') WHERE points > most);
    PERFORM graphile_worker.add_job('post_join',
      json_build_object('guild_id', joined.guild_id, 'user_id', joined.user_id),
      job_key => 'post_join:' || joined.guild_id || ':' || joined.user_id, max_attempts => 5);
  END LOOP;
END
$$;
