-- Whether a guild has a row of a source already: it was imported, or the guild itself made it. Notes are called `note:`
-- and their id, parts of transcripts `messages:`, the id of their ticket, a colon and a number.
CREATE OR REPLACE FUNCTION imported_before(p_guild_id text, p_source "ImportSource", p_external_id text) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM imported_rows
      WHERE guild_id = p_guild_id AND source = p_source AND external_id = p_external_id)
    -- By the key alone: with the guild beside it, an index of the guild's cases would be read from end to end.
    OR coalesce((SELECT guild_id FROM cases WHERE id = p_external_id) = p_guild_id, false)
    OR coalesce((SELECT guild_id FROM notes
      WHERE p_external_id LIKE 'note:%' AND id = substr(p_external_id, 6)) = p_guild_id, false)
    OR coalesce((SELECT guild_id FROM tickets
      WHERE p_external_id ~ '^(messages:)?tkt_' AND id = substring(p_external_id FROM 'tkt_[0-9a-f]+')) = p_guild_id, false)
$$;
