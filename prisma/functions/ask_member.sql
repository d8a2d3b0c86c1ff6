-- after: functions/ask_for_caller
-- Asks Discord about a person in a guild, through the bot.
CREATE OR REPLACE FUNCTION ask_member(p_guild_id text, p_user_id text, p_request_id text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT ask_for_caller('ask_member', jsonb_build_object('guild_id', p_guild_id, 'user_id', p_user_id), p_request_id)
$$;
