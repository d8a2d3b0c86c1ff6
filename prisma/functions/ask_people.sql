-- after: functions/ask_for_caller
-- Asks Discord whose names in a guild begin with a text, through the bot.
CREATE OR REPLACE FUNCTION ask_people(p_guild_id text, p_query text, p_request_id text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT ask_for_caller('ask_people', jsonb_build_object('guild_id', p_guild_id, 'query', p_query), p_request_id)
$$;
