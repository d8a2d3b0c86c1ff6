-- Notes that people with cases have written, at most once a day for a person, and queues the posts in log channels about
-- those who did so after a silence, where the guild wants that: ten in ten minutes. Whoever has no case is not noted.
--
-- A note is up to a day older than their last message, so a day is added to the silence that the guild asks for. Without
-- a note, the silence began with their latest case. It never began before the bot saw messages there. A note is kept for
-- 92 days, so a post says at most that they were silent for 90.
CREATE OR REPLACE FUNCTION note_words(
  p_guild_ids text[], p_user_ids text[], p_channel_ids text[], p_message_ids text[]
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  message record;
  last timestamptz;
BEGIN
  FOR message IN
    SELECT DISTINCT ON (m.guild_id, m.user_id) m.*, g.alerts_quiet_days, g.words_seen_from, g.words_seen_until, (
        SELECT max(c.issued_at) FROM cases c WHERE c.guild_id = m.guild_id AND c.user_id = m.user_id
          AND (c.issued_at > now() - interval '90 days' OR case_is_in_force(c.ended_at, c.expires_at))) AS latest_case_at
    FROM unnest(p_guild_ids, p_user_ids, p_channel_ids, p_message_ids) AS m (guild_id, user_id, channel_id, message_id)
    JOIN guilds g ON g.id = m.guild_id AND g.alerts_quiet_days IS NOT NULL AND g.log_channel_id IS NOT NULL
    -- In one order, so that two bots do not wait for each other.
    ORDER BY m.guild_id, m.user_id, m.message_id
  LOOP
    CONTINUE WHEN message.latest_case_at IS NULL;
    SELECT written_at INTO last FROM last_words w
      WHERE w.guild_id = message.guild_id AND w.user_id = message.user_id FOR UPDATE;
    CONTINUE WHEN last > now() - interval '1 day';
    INSERT INTO last_words AS w (guild_id, user_id, written_at) VALUES (message.guild_id, message.user_id, now())
      ON CONFLICT (guild_id, user_id) DO UPDATE SET written_at = EXCLUDED.written_at
      WHERE w.written_at IS NOT DISTINCT FROM last;
    -- Another bot was first.
    CONTINUE WHEN NOT FOUND;
    last := greatest(coalesce(last, message.latest_case_at), message.words_seen_from);
    CONTINUE WHEN message.words_seen_from IS NULL OR message.words_seen_until < now() - interval '1 day'
      OR last > now() - make_interval(days => message.alerts_quiet_days + 1);
    CONTINUE WHEN EXISTS (
      SELECT FROM count_requests(ARRAY['words:' || message.guild_id], '{1}', '{10}', '{600000}') WHERE points > most);
    PERFORM graphile_worker.add_job('post_words',
      json_build_object('guild_id', message.guild_id, 'user_id', message.user_id, 'channel_id', message.channel_id,
        'message_id', message.message_id, 'days', least(90, floor(extract(epoch FROM now() - last) / 86400)::int - 1)),
      job_key => 'post_words:' || message.guild_id || ':' || message.user_id, max_attempts => 5);
  END LOOP;
END
$$;
