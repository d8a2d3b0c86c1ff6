-- Keeps a file with a case, or notes why it is not kept: p_problem, or that the guild has no room left. p_content is null
-- where the file could not be read. Returns the problem; null if the file is kept.
--
-- The lock has two files of a guild counted one after the other.
CREATE OR REPLACE FUNCTION keep_evidence(
  p_case_id text, p_name text, p_size_bytes int, p_content bytea, p_problem "EvidenceProblem"
) RETURNS "EvidenceProblem" LANGUAGE plpgsql AS $$
DECLARE
  guild text := (SELECT guild_id FROM cases WHERE id = p_case_id);
  room bigint;
BEGIN
  IF p_content IS NOT NULL THEN
    PERFORM pg_advisory_xact_lock(hashtextextended('evidence ' || guild, 0));
    SELECT 512 * 1024 * 1024 - coalesce(sum(size_bytes), 0) INTO room
    FROM evidence WHERE guild_id = guild AND problem IS NULL;
    IF octet_length(p_content) > room THEN
      p_problem := 'full';
      p_content := NULL;
    END IF;
  END IF;
  INSERT INTO evidence (guild_id, case_id, name, media_type, size_bytes, content, sha256, problem)
  VALUES (guild, p_case_id, p_name,
    CASE
      WHEN substr(p_content, 1, 8) = '\x89504e470d0a1a0a' THEN 'image/png'
      WHEN substr(p_content, 1, 3) = '\xffd8ff' THEN 'image/jpeg'
      WHEN substr(p_content, 1, 6) IN ('GIF87a', 'GIF89a') THEN 'image/gif'
      WHEN substr(p_content, 1, 4) = 'RIFF' AND substr(p_content, 9, 4) = 'WEBP' THEN 'image/webp'
    END,
    coalesce(octet_length(p_content), p_size_bytes), p_content, sha256(p_content), p_problem);
  RETURN p_problem;
END
$$;
