-- The ids of a guild's roles, none of which goes away until the transaction ends.
CREATE OR REPLACE FUNCTION lock_roles(p_guild_id text) RETURNS SETOF text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  RETURN QUERY SELECT id FROM roles WHERE guild_id = p_guild_id FOR KEY SHARE;
END
$$;
