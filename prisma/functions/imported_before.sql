-- Whether a guild has a row of a source already: it was imported, or the guild itself made it. Notes
-- are called `note:` and their id.
CREATE OR REPLACE FUNCTION imported_before(p_guild_id text, p_source "ImportSource", p_external_id text) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM imported_rows
      WHERE guild_id = p_guild_id AND source = p_source AND external_id = p_external_id)
    -- By the key alone: with the guild beside it, an index of the guild's cases would be read from end to end.
    OR coalesce((SELECT guild_id FROM cases WHERE id = p_external_id) = p_guild_id, false)
    OR coalesce((SELECT guild_id FROM notes WHERE id = substr(p_external_id, 6)) = p_guild_id, false)
$$;
