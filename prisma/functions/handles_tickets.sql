-- after: functions/granted_to
-- Whether somebody may work on a guild's tickets: its owner, and members who were granted that. No bots.
CREATE OR REPLACE FUNCTION handles_tickets(p_guild_id text, p_user_id text) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM guilds WHERE id = p_guild_id AND owner_id = p_user_id)
    OR 'tickets.write' = ANY (ARRAY(SELECT unnest(capabilities) FROM granted_to(p_guild_id, p_user_id)))
      AND NOT EXISTS (SELECT FROM members WHERE guild_id = p_guild_id AND user_id = p_user_id AND bot)
$$;
