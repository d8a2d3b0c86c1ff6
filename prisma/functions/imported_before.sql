-- Whether a guild has a row of a source already: it was imported, or the guild itself made it. Notes are called `note:`
-- and their id, parts of transcripts `messages:`, the id of their ticket, a colon and a number, and identities in games
-- `identity:`, their kind, a colon and their text in lower case, whoever has them. A ban of Discord's list is
-- called by its person, a slash and its import: it is known while a case of that ban is open, or an action is about it.
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
    OR EXISTS (SELECT FROM identities WHERE p_external_id LIKE 'identity:%' AND guild_id = p_guild_id
      AND key = substring(p_external_id FROM '^identity:[a-z_]+:(.*)$')
      AND platform::text = split_part(p_external_id, ':', 2))
    OR p_source = 'discord' AND (
      EXISTS (SELECT FROM cases WHERE guild_id = p_guild_id AND user_id = split_part(p_external_id, '/', 1)
        AND kind IN ('ban', 'softban') AND ended_at IS NULL
        AND (import_id IS NULL OR expires_at IS NULL OR expires_at > statement_timestamp()))
      OR EXISTS (SELECT FROM actions WHERE guild_id = p_guild_id AND target_id = split_part(p_external_id, '/', 1)
        AND operation LIKE 'bans.%' AND state IN ('pending', 'running')))
$$;
