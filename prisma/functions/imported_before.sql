-- Whether a guild has a row of a source already: it was imported, or the guild itself made it and exported it. Notes
-- are called `note:` and their id.
CREATE OR REPLACE FUNCTION imported_before(p_guild_id text, p_source "ImportSource", p_external_id text) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM imported_rows
      WHERE guild_id = p_guild_id AND source = p_source AND external_id = p_external_id)
    OR EXISTS (SELECT FROM cases WHERE id = p_external_id AND guild_id = p_guild_id)
    OR EXISTS (SELECT FROM notes WHERE id = substr(p_external_id, 6) AND guild_id = p_guild_id)
$$;
