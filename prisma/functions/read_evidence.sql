-- A part of the file of a guild with this id, for whoever the session proof p_proof shows: p_length bytes after the first
-- p_from. No row if there is none, if it was not kept, or if they may not read its case. The web process reads the
-- content of files in no other way.
CREATE OR REPLACE FUNCTION read_evidence(
  p_proof text, p_guild_id text, p_evidence_id text, p_from int, p_length int
) RETURNS TABLE (name text, media_type text, size_bytes int, part bytea)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
#variable_conflict use_column
DECLARE
  reader text := act_in_session(p_proof);
BEGIN
  RETURN QUERY SELECT e.name, e.media_type, octet_length(e.content), substr(e.content, p_from + 1, p_length)
  FROM evidence e JOIN cases c ON c.id = e.case_id JOIN guilds g ON g.id = e.guild_id
  WHERE e.id = p_evidence_id AND e.guild_id = p_guild_id AND e.content IS NOT NULL AND g.left_at IS NULL
    AND (g.owner_id = reader
      OR case_reader(c.kind::text) = ANY (ARRAY(SELECT unnest(capabilities) FROM granted_to(g.id, reader))));
END
$$;
