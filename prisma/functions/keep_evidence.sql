-- Keeps a file with a case, or notes why it is not kept (settle_evidence). Returns the problem; null if the file is kept.
CREATE OR REPLACE FUNCTION keep_evidence(
  p_case_id text, p_name text, p_size_bytes int, p_content bytea, p_problem "EvidenceProblem"
) RETURNS "EvidenceProblem" LANGUAGE plpgsql AS $$
DECLARE
  file_id text;
BEGIN
  INSERT INTO evidence (guild_id, case_id, name, size_bytes)
  SELECT guild_id, id, p_name, p_size_bytes FROM cases WHERE id = p_case_id
  RETURNING id INTO file_id;
  RETURN settle_evidence(file_id, p_content, p_problem);
END
$$;
