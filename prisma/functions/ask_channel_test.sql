-- Lets the bot post a test in a channel of a guild. The web process may ask only for the guild's owner, who acts in this
-- transaction.
CREATE OR REPLACE FUNCTION ask_channel_test(p_guild_id text, p_channel_id text, p_request_id text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  IF is_web(session_user) AND NOT EXISTS (
    SELECT FROM guilds WHERE id = p_guild_id AND owner_id = (SELECT user_id FROM acting() WHERE source = 'dashboard')
  ) THEN
    RAISE EXCEPTION 'Only the owner of a guild tests a channel.' USING ERRCODE = 'insufficient_privilege';
  END IF;
  PERFORM ask_for_caller('test_channel', jsonb_build_object('guild_id', p_guild_id, 'channel_id', p_channel_id),
    p_request_id);
END
$$;
