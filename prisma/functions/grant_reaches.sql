-- Whether a role's grant reaches somebody with these roles. @everyone, whose id is the guild's, reaches every member.
CREATE OR REPLACE FUNCTION grant_reaches(p_grant role_grants, p_role_ids text[]) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
  SELECT p_grant.role_id = ANY (p_role_ids) OR p_grant.role_id = p_grant.guild_id
$$;
