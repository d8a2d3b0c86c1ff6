-- after: functions/ask_for_caller
-- Asks Discord, through the bot, for the members of a guild whose ids follow one, in their order.
CREATE OR REPLACE FUNCTION ask_members(p_guild_id text, p_after text, p_request_id text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT ask_for_caller('ask_members', jsonb_build_object('guild_id', p_guild_id, 'after', p_after), p_request_id)
$$;
