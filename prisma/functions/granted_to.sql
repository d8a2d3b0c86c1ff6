-- after: functions/grant_reaches, functions/may_use_grants
-- The capabilities that the owner granted to the roles of a member. @everyone, whose id is the guild's, is one of the
-- roles. Empty for people who are not members or are timed out. The owner holds every capability; callers check that
-- themselves. A table function in SQL, so that the planner folds it into the query that asks.
CREATE OR REPLACE FUNCTION granted_to(p_guild_id text, p_user_id text) RETURNS TABLE (capabilities text[])
LANGUAGE sql STABLE AS $$
  SELECT coalesce(array_agg(capability), '{}')
  FROM members m
  JOIN role_grants r ON r.guild_id = m.guild_id AND grant_reaches(r, m.role_ids)
  CROSS JOIN unnest(r.capabilities) AS capability
  WHERE m.guild_id = p_guild_id AND m.user_id = p_user_id AND may_use_grants(m)
$$;
