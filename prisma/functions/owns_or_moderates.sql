-- after: functions/granted_to
-- Whether somebody has a say in a guild: its owner, and members who were granted anything. Everybody who signs in has a
-- session, also without a right anywhere.
CREATE OR REPLACE FUNCTION owns_or_moderates(p_guild_id text, p_user_id text) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM guilds WHERE id = p_guild_id AND owner_id = p_user_id)
    OR EXISTS (SELECT FROM granted_to(p_guild_id, p_user_id) WHERE cardinality(capabilities) > 0)
$$;
