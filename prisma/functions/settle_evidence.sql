-- Keeps the content of a file that was attached, or notes why it is not kept: p_problem, or that the guild has no room
-- left. p_content is null where the file could not be read. Returns the problem; null if the file is kept. A file that
-- is settled already stays as it is.
CREATE OR REPLACE FUNCTION settle_evidence(p_id text, p_content bytea, p_problem "EvidenceProblem")
RETURNS "EvidenceProblem" LANGUAGE plpgsql AS $$
DECLARE
  guild text := (SELECT guild_id FROM evidence WHERE id = p_id);
  settled evidence;
BEGIN
  IF octet_length(p_content) > evidence_room(guild) THEN
    p_problem := 'full';
    p_content := NULL;
  END IF;
  UPDATE evidence SET
    media_type = picture_type(p_content), size_bytes = coalesce(octet_length(p_content), size_bytes),
    content = p_content, sha256 = sha256(p_content), problem = p_problem, url = NULL
  WHERE id = p_id AND sha256 IS NULL AND problem IS NULL;
  SELECT * INTO settled FROM evidence WHERE id = p_id;
  RETURN settled.problem;
END
$$;
