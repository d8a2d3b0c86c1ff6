-- Keeps the content of a file that was attached, or notes why it is not kept: p_problem, or that the guild has no room
-- left. p_content is null where the file could not be read. Returns the problem; null if the file is kept. A file that
-- is settled already stays as it is.
--
-- The lock has two files of a guild counted one after the other.
CREATE OR REPLACE FUNCTION settle_evidence(p_id text, p_content bytea, p_problem "EvidenceProblem")
RETURNS "EvidenceProblem" LANGUAGE plpgsql AS $$
DECLARE
  guild text := (SELECT guild_id FROM evidence WHERE id = p_id);
  room bigint;
  settled evidence;
BEGIN
  IF p_content IS NOT NULL THEN
    PERFORM pg_advisory_xact_lock(hashtextextended('evidence ' || guild, 0));
    SELECT 512 * 1024 * 1024 - coalesce(sum(size_bytes), 0) INTO room
    FROM evidence WHERE guild_id = guild AND content IS NOT NULL;
    IF octet_length(p_content) > room THEN
      p_problem := 'full';
      p_content := NULL;
    END IF;
  END IF;
  UPDATE evidence SET
    media_type = CASE
      WHEN substr(p_content, 1, 8) = '\x89504e470d0a1a0a' THEN 'image/png'
      WHEN substr(p_content, 1, 3) = '\xffd8ff' THEN 'image/jpeg'
      WHEN substr(p_content, 1, 6) IN ('GIF87a', 'GIF89a') THEN 'image/gif'
      WHEN substr(p_content, 1, 4) = 'RIFF' AND substr(p_content, 9, 4) = 'WEBP' THEN 'image/webp'
    END,
    size_bytes = coalesce(octet_length(p_content), size_bytes), content = p_content, sha256 = sha256(p_content),
    problem = p_problem, url = NULL
  WHERE id = p_id AND sha256 IS NULL AND problem IS NULL;
  SELECT * INTO settled FROM evidence WHERE id = p_id;
  RETURN settled.problem;
END
$$;
