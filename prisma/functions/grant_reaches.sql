-- Whether a role's grant applies to a member with these roles. The grant of @everyone, whose id is that of the guild,
-- applies to every member.
CREATE OR REPLACE FUNCTION grant_reaches(p_grant role_grants, p_role_ids text[]) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
  SELECT p_grant.role_id = ANY (p_role_ids) OR p_grant.role_id = p_grant.guild_id
$$;
