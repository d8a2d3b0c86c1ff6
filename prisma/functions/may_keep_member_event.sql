-- Whether one more event of a person is kept: at most 20 a day of one person, and 50,000 an hour of a guild. So nobody who
-- joins, leaves or renames themselves without end fills the table, and a raid of 800 a minute is kept in full.
CREATE OR REPLACE FUNCTION may_keep_member_event(p_guild_id text, p_user_id text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  RETURN (SELECT count(*) FROM member_events
      WHERE guild_id = p_guild_id AND user_id = p_user_id AND at > now() - interval '1 day') < 20
    AND NOT EXISTS (
      SELECT FROM count_requests(ARRAY['member events:' || p_guild_id], '{1}', '{50000}', '{3600000}')
      WHERE points > most);
END
$$;
