-- Whether a member has Discord's permission Administrator (8). @everyone, whose id is the guild's, is one of the roles.
-- A function of its own, because the planner folds none with a subquery into the query that asks.
CREATE OR REPLACE FUNCTION is_administrator(p_member members) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM roles WHERE guild_id = p_member.guild_id
    AND (id = ANY (p_member.role_ids) OR id = p_member.guild_id) AND permissions & 8 <> 0)
$$;
