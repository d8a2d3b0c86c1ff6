-- Keeps a file that somebody uploaded on the page of a case, whole or not at all (decisions: Evidence). A function,
-- because the web process writes what files hold in no other way: for whoever acts in the dashboard and may change this
-- case, and within the bounds that it was told before.
CREATE OR REPLACE FUNCTION upload_evidence(p_case_id text, p_action_id text, p_name text, p_content bytea) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  about cases;
BEGIN
  -- The lock has two files of a case counted one after the other.
  SELECT * INTO about FROM cases WHERE id = p_case_id FOR NO KEY UPDATE;
  PERFORM require_acting(about.guild_id, case_writer(about.kind::text));
  IF (SELECT source FROM acting()) <> 'dashboard' THEN
    RAISE EXCEPTION 'A token uploads no files.' USING ERRCODE = 'insufficient_privilege';
  END IF;
  IF octet_length(p_content) > least(8 * 1024 * 1024, evidence_room(about.guild_id)) OR length(p_name) > 255
    OR (SELECT count(*) FROM evidence WHERE case_id = about.id) >= 50 THEN
    RAISE EXCEPTION 'This file is beyond the bounds of evidence.' USING ERRCODE = 'insufficient_privilege';
  END IF;
  INSERT INTO evidence (guild_id, case_id, action_id, name, media_type, size_bytes, content, sha256)
  VALUES (about.guild_id, about.id, p_action_id, p_name, picture_type(p_content), octet_length(p_content), p_content,
    sha256(p_content));
END
$$;
